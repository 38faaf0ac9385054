; A module without functions stays valid.
; RUN: %instrument %s | FileCheck %s
; CHECK: @__scopesan_module =
target triple = "nvptx64-nvidia-cuda"
