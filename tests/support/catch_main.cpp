// Catch2 v2 wants its main in one source; v3 brings its own.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
