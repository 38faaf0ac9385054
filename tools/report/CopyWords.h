// Sentences about asynchronous copies: D10, and D8 of their source.
#pragma once

#include "Model.h"

namespace scopesan::report {

/// The source of a copy does not live long enough: the block that issued it may end first.
bool isOwnSource(const Finding &finding);
std::string ownSourceHint();

/// D10: which side is a copy, and what is not ordered. `by`: who made the accesses.
std::string inFlightTitle(const Finding &finding, const std::string (&by)[2]);
/// `must`: what orders two threads at the finding's distance.
std::string inFlightHint(const Finding &finding, const std::string &must);

} // namespace scopesan::report
