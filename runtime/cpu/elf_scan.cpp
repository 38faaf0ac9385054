#include "cpu/elf_scan.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace scopesan::cpu;

namespace {

/// A file mapped for reading; every access is bounds-checked.
class MappedFile {
public:
  explicit MappedFile(const std::string &Path) {
    int Fd = open(Path.c_str(), O_RDONLY | O_CLOEXEC);
    if (Fd < 0)
      return;
    struct stat Status;
    if (!fstat(Fd, &Status) && S_ISREG(Status.st_mode) && Status.st_size > 0) {
      void *P = mmap(nullptr, size_t(Status.st_size), PROT_READ, MAP_PRIVATE, Fd, 0);
      if (P != MAP_FAILED) {
        Data = static_cast<const char *>(P);
        Size = size_t(Status.st_size);
      }
    }
    close(Fd);
  }
  ~MappedFile() {
    if (Data)
      munmap(const_cast<char *>(Data), Size);
  }
  MappedFile(const MappedFile &) = delete;

  template <typename T> const T *at(uint64_t Offset, uint64_t Count = 1) const {
    if (Count > Size / sizeof(T) || Offset > Size - Count * sizeof(T))
      return nullptr;
    return reinterpret_cast<const T *>(Data + Offset);
  }
  const char *string(const Elf64_Shdr &Table, uint64_t Index) const {
    if (Index >= Table.sh_size || !at<char>(Table.sh_offset, Table.sh_size))
      return "";
    const char *S = Data + Table.sh_offset + Index;
    return memchr(S, 0, Table.sh_size - Index) ? S : "";
  }

private:
  const char *Data = nullptr;
  size_t Size = 0;
};

struct Sections {
  const Elf64_Shdr *First = nullptr;
  uint64_t Count = 0;
};

Sections sectionsOf(const MappedFile &File, const Elf64_Ehdr &Header) {
  Sections S;
  S.Count = Header.e_shnum;
  if (Header.e_shentsize == sizeof(Elf64_Shdr))
    S.First = File.at<Elf64_Shdr>(Header.e_shoff, S.Count);
  return S;
}

bool registersOutside(const MappedFile &File, const Sections &All, const Elf64_Shdr &Symbols) {
  if (Symbols.sh_link >= All.Count)
    return false;
  uint64_t Count = Symbols.sh_size / sizeof(Elf64_Sym);
  const auto *Symbol = File.at<Elf64_Sym>(Symbols.sh_offset, Count);
  for (uint64_t I = 0; Symbol && I < Count; ++I)
    if (Symbol[I].st_shndx == SHN_UNDEF &&
        !strcmp(File.string(All.First[Symbols.sh_link], Symbol[I].st_name),
                "__cudaRegisterFatBinary"))
      return true;
  return false;
}

} // namespace

CudartLinkage scopesan::cpu::scanCudartLinkage(const std::string &Path) {
  MappedFile File(Path);
  const auto *Header = File.at<Elf64_Ehdr>(0);
  if (!Header || memcmp(Header->e_ident, ELFMAG, SELFMAG) ||
      Header->e_ident[EI_CLASS] != ELFCLASS64)
    return CudartLinkage::None;
  if (Header->e_type != ET_EXEC && Header->e_type != ET_DYN)
    return CudartLinkage::None;
  Sections All = sectionsOf(File, *Header);
  if (!All.First || Header->e_shstrndx >= All.Count)
    return CudartLinkage::None;
  bool HasDeviceCode = false, Outside = false;
  for (uint64_t I = 0; I < All.Count; ++I) {
    const char *Name = File.string(All.First[Header->e_shstrndx], All.First[I].sh_name);
    HasDeviceCode |= !strcmp(Name, ".nv_fatbin") || !strcmp(Name, ".nvFatBinSegment");
    if (All.First[I].sh_type == SHT_DYNSYM)
      Outside |= registersOutside(File, All, All.First[I]);
  }
  if (!HasDeviceCode)
    return CudartLinkage::None;
  return Outside ? CudartLinkage::Shared : CudartLinkage::Static;
}

std::string scopesan::cpu::staticCudartMessage(const std::string &Path) {
  return "'" + Path +
         "' has a statically linked CUDA runtime (cudart_static), which the CPU backend cannot "
         "replace; relink it with the shared one: -cudart shared (nvcc), "
         "-DCMAKE_CUDA_RUNTIME_LIBRARY=Shared (CMake), -lcudart instead of -lcudart_static, or "
         "build with scopesan-clang++";
}
