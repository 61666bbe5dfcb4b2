#include "note.hpp"

extern "C" [[gnu::visibility("default")]] const void* lightrun_models();
extern "C" const void* lightrun_models() {
  return nullptr;
}

LIGHTRUN_BARE_NOTE("disagreeing");
