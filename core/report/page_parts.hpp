#pragma once

#include <string_view>

namespace lightrun::report {

/// The files of core/report/page, as the build has put them into the library.
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;

}  // namespace lightrun::report
