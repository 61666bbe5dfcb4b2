#include "note.hpp"

int needed_number();

extern "C" int use_needed_number();
extern "C" int use_needed_number() {
  return needed_number();
}

LIGHTRUN_BARE_NOTE("missing_dependency");
