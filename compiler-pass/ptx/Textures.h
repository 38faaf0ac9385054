// Texture and surface instructions: which form it is, and what an NVVM intrinsic stands for.
#pragma once

#include "Ast.h"

#include "scopesan/texture_form.h"

#include <optional>
#include <string>
#include <string_view>

namespace scopesan::ptx {

/// The form of a tex, tld4, suld.b or sust.b instruction. Nothing, and `Why`, where it is one that
/// is not modelled.
///   tex, tld4   d{|p}, [texture, {coordinates}] ...     gradients and levels follow
///   suld.b      d, [surface, {coordinates}]
///   sust.b      [surface, {coordinates}], values
std::optional<abi::TextureForm> textureForm(const Statement &S, std::string_view &Why);

/// The coordinates of an instruction of that form, the layer first.
std::vector<Operand> textureCoordinates(const Statement &S, const abi::TextureForm &F);

/// PTX that the intrinsic of this name (after "llvm.nvvm.") becomes: $N is argument N. Empty if it
/// is no texture or surface intrinsic.
std::string textureIntrinsic(std::string_view Name);

} // namespace scopesan::ptx
