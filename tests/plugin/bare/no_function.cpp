#include "note.hpp"

LIGHTRUN_BARE_NOTE("no_function");
