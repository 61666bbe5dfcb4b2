# Installing what is missing and building build/release; sourced by lightrun, test and format.
# shellcheck shell=bash

# shellcheck source=scripts/lib/packages.sh
source "$root/scripts/lib/packages.sh"

build_dir=$root/build/release
executable=$build_dir/bin/lightrun
# The files of the last good build; its time is when that build began.
stamp=$build_dir/lightrun.stamp
log=$root/build/setup.log

say() { printf 'lightrun: %s\n' "$*" >&2; }

fail() {
  say "$*"
  exit 1
}

# What the executable, the library and the plugins are made of.
find_sources() {
  (cd "$root" && find CMakeLists.txt CMakePresets.json app core plugins scripts/lib \
    -name '.*' -prune -o -name __pycache__ -prune -o -type f "$@")
}

# True where nothing has changed since the last good build. Takes some 10 ms.
is_built() {
  [[ -x $executable && -f $stamp ]] || return 1
  # A file that is newer gets a mark, and then differs from its line in the stamp.
  [[ $(find_sources \( -newer "$stamp" -printf '! ' -o -true \) -print) == "$(<"$stamp")" ]]
}

# run_logged COMMAND...: quiet where it works; its whole output where it does not.
run_logged() {
  mkdir -p "$root/build"
  "$@" >"$log" 2>&1 </dev/null && return
  cat "$log" >&2
  return 1
}

# missing_packages PACKAGE...: those that are not installed.
missing_packages() {
  # dpkg-query's status only says that one of them is unknown.
  { dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true; } |
    sed -n 's/^installed //p' | LC_ALL=C sort | LC_ALL=C comm -13 - <(printf '%s\n' "$@" | LC_ALL=C sort)
}

apt_install() {
  local as_root=(env DEBIAN_FRONTEND=noninteractive)
  ((EUID == 0)) || as_root=(sudo "${as_root[@]}")
  # A package list that cannot be refreshed is no reason to stop: what is needed may be in the old one.
  "${as_root[@]}" apt-get -q update || true
  "${as_root[@]}" apt-get -q -y -o DPkg::Lock::Timeout=600 install --no-install-recommends "$@"
}

# install_missing PACKAGE...: installs those that are missing.
install_missing() {
  # Elsewhere the packages have other names; configuring says what is missing.
  command -v apt-get >/dev/null && command -v dpkg-query >/dev/null || return 0
  local missing started=$SECONDS
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0
  if ((EUID != 0)) && ! command -v sudo >/dev/null; then
    say "these packages are missing, and only root can install them:"
    fail "  apt-get update && apt-get install --no-install-recommends ${missing[*]}"
  fi
  say "installing: ${missing[*]}"
  run_logged apt_install "${missing[@]}" || fail "could not install ${missing[*]} (above is apt-get's output)"
  say "installed in $((SECONDS - started)) s"
}

configure() {
  run_logged env -C "$root" cmake --preset release -G Ninja && return
  command -v apt-get >/dev/null || say "lightrun builds with these Debian packages, or what your system calls" \
    "them: ${build_packages[*]} (a LibTorch elsewhere: CMAKE_PREFIX_PATH=/path/to/libtorch scripts/lightrun ...)"
  fail "could not configure the build (above is CMake's output)"
}

# How many compilers at once: one a core, and 1.5 GB of free memory for each.
job_count() {
  local jobs memory limit
  jobs=$(nproc)
  memory=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
  limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || echo max)
  if [[ $limit != max ]] && ((limit / 1048576 < memory)); then memory=$((limit / 1048576)); fi
  if ((memory / 1500 < jobs)); then jobs=$((memory / 1500)); fi
  echo $((jobs > 0 ? jobs : 1))
}

compile() {
  local ninja=(ninja -C "$build_dir" -j "$(job_count)")
  if [[ -t 2 ]]; then
    NINJA_STATUS='lightrun: building %f/%t ' "${ninja[@]}" "$@" >&2 </dev/null
  else
    run_logged "${ninja[@]}" --quiet "$@"
  fi
}

# build TARGET...: only one build at a time works in the tree.
build() {
  mkdir -p "$root/build"
  (
    if ! flock -n 9; then
      say "waiting for another build of this tree"
      flock 9
      if [[ $1 != all ]] && is_built; then exit; fi
    fi
    started=$SECONDS
    say "building ..."
    rm -f "$stamp"
    sources=$(find_sources -print)
    touch "$root/build/started"
    configure
    compile "$@" || fail "the build failed (above is the compiler's output)"
    printf '%s\n' "$sources" >"$stamp"
    touch -r "$root/build/started" "$stamp"
    say "built in $((SECONDS - started)) s"
  ) 9>"$root/build/lock"
}
