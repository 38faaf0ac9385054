// clang front-end plugin: __shared__ objects of classes whose constructor does something.
//
// CUDA never runs the constructor of a __shared__ variable. nvcc accepts any default constructor
// and warns (#20054-D); clang accepts empty ones only, so that `__shared__ cuda::barrier<...> b;`
// is an error. The header compat/attributes.h makes `__shared__` carry the attribute
// `scopesan_shared`; here it takes the default initialization away from a declaration that clang
// would reject, which is what clang's code generation does to the accepted ones. Initializers that
// are written stay errors, as with nvcc.
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"

using namespace clang;

namespace {

/// True when default initialization exists but clang would not take it for empty. A dependent type
/// is decided as if it did: instantiation copies the attributes of the pattern.
bool needsHelp(Sema &S, QualType Type) {
  if (Type->isDependentType())
    return true;
  CXXRecordDecl *Class = Type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  if (!Class || !S.isCompleteType(Class->getLocation(), Type) || !Class->hasDefinition())
    return false;
  if (Class->hasTrivialDefaultConstructor() && Class->hasTrivialDestructor())
    return false;
  CXXConstructorDecl *Constructor = S.LookupDefaultConstructor(Class);
  return Constructor && !Constructor->isDeleted();
}

struct SharedObject : ParsedAttrInfo {
  SharedObject() {
    static constexpr Spelling Names[] = {{ParsedAttr::AS_GNU, "scopesan_shared"}};
    Spellings = Names;
  }

  bool diagAppertainsToDecl(Sema &, const ParsedAttr &, const Decl *D) const override {
    return isa<VarDecl>(D);
  }

  /// An alias has no initializer: Sema::ActOnUninitializedDecl leaves such a variable alone, before
  /// and after template instantiation, and no one looks at the attribute of a function's static
  /// variable afterwards. At namespace scope nvcc rejects such objects as clang does.
  AttrHandling handleDeclAttribute(Sema &S, Decl *D, const ParsedAttr &Attribute) const override {
    auto *Variable = cast<VarDecl>(D);
    if (Variable->isLocalVarDecl() && !Variable->hasExternalStorage() &&
        needsHelp(S, Variable->getType()))
      D->addAttr(AliasAttr::CreateImplicit(S.Context, "", Attribute.getRange()));
    return AttributeApplied;
  }
};

ParsedAttrInfoRegistry::Add<SharedObject> Registered("scopesan_shared",
                                                     "__shared__ object without construction");

} // namespace
