# Common settings: language level, warnings, output folders, LLVM 22, the CUDA toolkit.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

set(SCOPESAN_LLVM_ROOT "/usr/lib/llvm-22" CACHE PATH "Installation prefix of LLVM 22")
# LLVM's version file accepts only its own minor version, so the major is compared here.
find_package(LLVM CONFIG PATHS "${SCOPESAN_LLVM_ROOT}" NO_DEFAULT_PATH)
if(NOT LLVM_FOUND OR NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "No LLVM 22 at '${SCOPESAN_LLVM_ROOT}' (found: '${LLVM_VERSION}'). Install the packages "
    "clang-22, llvm-22-dev and lld-22 (scripts/setup does), or point -DSCOPESAN_LLVM_ROOT at an LLVM 22 prefix.")
endif()

set(SCOPESAN_CUDA_ROOT "" CACHE PATH "CUDA toolkit 13; empty = $SCOPESAN_CUDA_ROOT, $CUDA_PATH, then /usr/local/cuda")
if(NOT SCOPESAN_CUDA_ROOT)
  if(DEFINED ENV{SCOPESAN_CUDA_ROOT})
    set(SCOPESAN_CUDA_ROOT "$ENV{SCOPESAN_CUDA_ROOT}" CACHE PATH "" FORCE)
  elseif(DEFINED ENV{CUDA_PATH})
    set(SCOPESAN_CUDA_ROOT "$ENV{CUDA_PATH}" CACHE PATH "" FORCE)
  else()
    set(SCOPESAN_CUDA_ROOT "/usr/local/cuda" CACHE PATH "" FORCE)
  endif()
endif()
if(NOT EXISTS "${SCOPESAN_CUDA_ROOT}/include/cuda_runtime_api.h")
  message(FATAL_ERROR "No CUDA toolkit at '${SCOPESAN_CUDA_ROOT}'. ScopeSan needs the CUDA 13 "
    "toolkit (headers, ptxas, fatbinary, libcudart). Install it from NVIDIA's package "
    "'cuda-toolkit-13-0', or point -DSCOPESAN_CUDA_ROOT (or CUDA_PATH) at it.")
endif()

# scopesan_target(NAME): warnings and the public include folder for one of our targets.
function(scopesan_target name)
  target_link_libraries(${name} PRIVATE scopesan_headers)
  # GCC 12's -Wrestrict is wrong about std::string's operator+ (GCC bug 105651).
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wno-unused-parameter
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
endfunction()
# scopesan_llvm_target(NAME): additionally compiles and links against LLVM (no RTTI, as LLVM is built).
function(scopesan_llvm_target name)
  scopesan_target(${name})
  target_include_directories(${name} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  separate_arguments(definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_options(${name} PRIVATE ${definitions} -fno-rtti)
endfunction()
