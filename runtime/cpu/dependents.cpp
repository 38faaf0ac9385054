// Programmatic dependent launch (S14, PTX ISA griddepcontrol).
//
// A dependent launch becomes active when every block of its primary has triggered or ended; its
// griddepcontrol.wait returns when all its prerequisites have ended.
#include "cpu/engine.h"

#include <algorithm>

using namespace scopesan;
using namespace scopesan::cpu;

void scopesan::cpu::triggerDependents(Block &B) {
  if (B.Triggered)
    return;
  B.Triggered = true;
  Launch &L = *B.Grid;
  ++L.TriggeredBlocks;
  if (L.triggered())
    TheEngine.Sched.requestDriver(); // who starts what has become possible
}

/// `L` has ended: those that wait for it go on, those it depends on forget it.
void Engine::leaveDependents(Launch *L) {
  for (Launch *D : L->Dependents) {
    std::erase(D->Spec.Prerequisites, L);
    if (!D->Spec.Prerequisites.empty())
      continue;
    for (Thread *T : D->GridWaiters)
      Sched.wake(T);
    D->GridWaiters.clear();
  }
  for (Launch *Primary : L->Spec.Prerequisites)
    std::erase(Primary->Dependents, L);
  L->Dependents.clear();
  L->Spec.Prerequisites.clear();
}

extern "C" {
#pragma GCC visibility push(default)

void __scopesan_cpu_griddep_wait(void) {
  Thread &T = *Engine::current();
  Launch &L = *T.Owner->Grid;
  if (L.Spec.Prerequisites.empty())
    return;
  L.GridWaiters.push_back(&T);
  TheEngine.Sched.block(Wait::Grids, 0);
}

void __scopesan_cpu_griddep_launch(void) { triggerDependents(*Engine::current()->Owner); }

#pragma GCC visibility pop
}
