// Where the threads of a program sit in the grids of its launches.
#pragma once

#include "Program.h"

namespace scopesan::litmus {

/// The grid of one launch: every cluster has `perCluster` blocks, every block `threadsPerBlock`
/// threads. Positions that no thread of the program has are filled with threads that exit at once.
struct Grid {
  std::vector<std::pair<uint32_t, uint32_t>> blocks; ///< (cluster, block) as the program names them
  std::vector<uint32_t> clusters;
  uint32_t perCluster = 1;
  uint32_t threadsPerBlock = 1;
  uint32_t blockCount() const { return uint32_t(clusters.size()) * perCluster; }
};

struct Layout {
  explicit Layout(const Program &p);

  /// Threads of the program in the block of `thread`.
  uint32_t threadsInBlock(const Program &p, uint32_t thread) const;

  std::vector<Grid> grids;     ///< by launch
  std::vector<uint32_t> index; ///< thread index in its block, by thread
  std::vector<uint32_t> block; ///< linear index of its block in the grid, by thread
  std::vector<uint32_t> rank;  ///< of its block in the cluster, by thread
};

/// The launch is the host's own code.
bool isHostLaunch(const Program &p, uint32_t launch);

} // namespace scopesan::litmus
