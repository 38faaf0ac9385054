#include "gpu/device_image.h"

#include "host/collector.h"
#include "scopesan/unit_suffix.h"

#include <cxxabi.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace scopesan::gpu {

std::vector<std::unique_ptr<SiteTable>> findSiteTables(const void *data, size_t bytes) {
  std::vector<std::unique_ptr<SiteTable>> result;
  // Assembled here so that this library does not contain the magic.
  std::string magic = std::string(SiteMagicHead) + SiteMagicTail;
  const char *p = static_cast<const char *>(data), *end = p + bytes;
  while (const char *hit =
             static_cast<const char *>(memmem(p, size_t(end - p), magic.data(), magic.size()))) {
    p = hit + magic.size();
    SiteBlob header;
    if (size_t(end - hit) < sizeof header)
      break;
    memcpy(&header, hit, sizeof header);
    uint64_t expected = uint64_t(header.siteCount) * sizeof(abi::Site) +
                        uint64_t(header.frameCount) * sizeof(abi::Frame) +
                        uint64_t(header.kernelCount) * sizeof(Kernel) + header.stringBytes;
    if (header.version != abi::Version) {
      host::incomplete(host::OtherVersion);
      continue;
    }
    if (header.size != expected || header.size > size_t(end - hit) - sizeof header)
      continue;
    auto t = std::make_unique<SiteTable>();
    t->hash = header.hash;
    t->bytes.assign(hit + sizeof header, hit + sizeof header + header.size);
    const char *body = t->bytes.data();
    abi::Module &m = t->module;
    m.version = header.version;
    m.siteCount = header.siteCount;
    m.frameCount = header.frameCount;
    m.stringBytes = header.stringBytes;
    m.sites = reinterpret_cast<const abi::Site *>(body);
    m.frames = reinterpret_cast<const abi::Frame *>(body + m.siteCount * sizeof(abi::Site));
    t->kernels = reinterpret_cast<const Kernel *>(m.frames + m.frameCount);
    t->kernelCount = header.kernelCount;
    t->hostCode = header.flags & HostCode;
    m.strings = reinterpret_cast<const char *>(t->kernels + t->kernelCount);
    m.siteBase = &t->base;
    char suffix[17];
    snprintf(suffix, sizeof suffix, "%016llx", static_cast<unsigned long long>(header.hash));
    t->symbol = std::string(SiteBasePrefix) + suffix;
    p = hit + sizeof header + header.size;
    result.push_back(std::move(t));
  }
  return result;
}

const Kernel *SiteTable::kernel(const std::string &mangled) const {
  for (uint32_t i = 0; i < kernelCount; ++i)
    if (kernels[i].symbol < module.stringBytes && mangled == module.strings + kernels[i].symbol)
      return &kernels[i];
  return nullptr;
}

std::vector<ImageVariable> findVariables(const void *data, size_t bytes) {
  std::vector<ImageVariable> result;
  const char *image = static_cast<const char *>(data);
  Elf64_Ehdr header;
  if (bytes < sizeof header || memcmp(image, ELFMAG, SELFMAG) != 0)
    return result;
  memcpy(&header, image, sizeof header);
  auto section = [&](size_t i, Elf64_Shdr &s) {
    uint64_t at = header.e_shoff + i * sizeof s;
    if (i >= header.e_shnum || at > bytes || bytes - at < sizeof s)
      return false;
    memcpy(&s, image + at, sizeof s);
    return s.sh_type == SHT_NOBITS || (s.sh_offset <= bytes && s.sh_size <= bytes - s.sh_offset);
  };
  auto text = [&](const Elf64_Shdr &table, uint32_t at) {
    return at < table.sh_size
               ? std::string(image + table.sh_offset + at,
                             strnlen(image + table.sh_offset + at, table.sh_size - at))
               : std::string();
  };
  Elf64_Shdr names{}, symbols{}, strings{};
  if (!section(header.e_shstrndx, names))
    return result;
  for (size_t i = 0; i < header.e_shnum; ++i) {
    if (!section(i, symbols) || symbols.sh_type != SHT_SYMTAB || !section(symbols.sh_link, strings))
      continue;
    for (uint64_t n = 0; n < symbols.sh_size / sizeof(Elf64_Sym); ++n) {
      Elf64_Sym s;
      memcpy(&s, image + symbols.sh_offset + n * sizeof s, sizeof s);
      Elf64_Shdr home;
      if (ELF64_ST_TYPE(s.st_info) != STT_OBJECT || !s.st_size || !section(s.st_shndx, home))
        continue;
      std::string where = text(names, home.sh_name);
      bool constant = where.rfind(".nv.constant3", 0) == 0;
      if (where.rfind(".nv.global", 0) != 0 && !constant)
        continue;
      std::string name = text(strings, s.st_name);
      if (name.rfind("__scopesan", 0) != 0)
        result.push_back({name, s.st_size, constant});
    }
  }
  return result;
}

std::string demangled(const std::string &symbol) {
  std::string name(withoutUnitSuffix(symbol));
  if (name.rfind("_Z", 0) != 0)
    return name; // "x" would be taken for a type
  int status = 0;
  char *text = __cxxabiv1::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 && text ? text : name;
  free(text);
  return result;
}

} // namespace scopesan::gpu
