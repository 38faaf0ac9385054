// Rows about launches: streams, events, graphs, the host, programmatic and device-side launches.
#pragma once

#include "Builder.h"

namespace scopesan::litmus {

/// Host calls: "launch", "launch child", "cudaStreamSynchronize", "cudaStreamQuery==Success".
bool parseHostWord(ThreadBuilder &t, std::string_view op);

/// Placements that order launches ("K1@s1; record e; s2 waits e; K2"): creates the launches of all
/// threads. False: the text is of another kind.
bool parseLaunchPlacement(ProgramBuilder &b, std::string_view text);

} // namespace scopesan::litmus
