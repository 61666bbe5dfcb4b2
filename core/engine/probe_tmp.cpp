#include <lightrun/lightrun.hpp>
