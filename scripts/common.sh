# Shared by the scripts of this folder; sourced, not run.
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build_dir=${SCOPESAN_BUILD_DIR:-$repository/build}
jobs=${SCOPESAN_JOBS:-$(nproc)}

say() { printf '== %s\n' "$*"; }
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# Prints the comment at the head of the calling script and leaves.
usage() {
  sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
  exit 0
}
# For scripts without arguments.
no_arguments() {
  case ${1:-} in
    '') ;;
    -h | --help) usage ;;
    *) fail "unknown argument '$1'; see $0 --help" ;;
  esac
}

# Configures when needed and builds the given targets (all without arguments).
build() {
  say "building in $build_dir"
  cmake -S "$repository" -B "$build_dir" -G Ninja ${SCOPESAN_CMAKE_FLAGS:-} > "$build_dir.configure.log" 2>&1 || {
    cat "$build_dir.configure.log" >&2
    fail "CMake could not configure the build; the reason is above"
  }
  mv "$build_dir.configure.log" "$build_dir/configure.log"
  cmake --build "$build_dir" -j "$jobs" ${1:+--target "$@"}
}
