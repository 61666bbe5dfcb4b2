#include "note.hpp"

namespace elsewhere {
int answer(int question);
}

extern "C" int use_answer();
extern "C" int use_answer() {
  return elsewhere::answer(1);
}

LIGHTRUN_BARE_NOTE("undefined_symbol");
