#pragma once

// For clang-tidy only. In C++20 g++ 12's std::vector is constexpr, for which clang wants its elements
// complete too early for LibTorch 1.13 (c10::List<c10::IValue>). Read first, this makes it the vector of
// C++17.
#include <memory>
#include <string>

#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR
// Declared constexpr by <string> already; the definition here would contradict it.
#define __fill_a1 unused_fill_a1
#include <vector>
#undef __fill_a1
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR constexpr
