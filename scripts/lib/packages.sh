# The Debian packages lightrun needs, in one place. (Used by name from other scripts.)
# shellcheck shell=bash disable=SC2034

# libopenblas0-openmp: LibTorch alone would come with the slow reference BLAS; this one shares LibTorch's threads.
# libgloo-dev: LibTorch's headers for several processes include it.
build_packages=(
  build-essential
  cmake
  ninja-build
  libtorch-dev
  libopenblas0-openmp
  libgloo-dev
  libyaml-cpp-dev
  libcli11-dev
  libspdlog-dev
  nlohmann-json3-dev
  libprotobuf-dev
  protobuf-compiler
  libcsv-dev
  libpng-dev
  libturbojpeg0-dev
  zlib1g-dev
  catch2
)

# chromium: looks at the page that `lightrun report` writes.
test_packages=(
  python3
  python3-jsonschema
  python3-protobuf
  python3-yaml
  chromium
)

# One version, since each formats a little differently.
format_packages=(
  clang-format-14
  clang-tidy-14
)
