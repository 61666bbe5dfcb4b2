#include "note.hpp"

#include <stdexcept>

namespace {

int throwing() {
  throw std::runtime_error("too early");
}

[[gnu::used]] const int kNumber = throwing();

}  // namespace

LIGHTRUN_BARE_NOTE("static_throw");
