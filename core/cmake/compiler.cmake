# Compiler settings shared by all our targets: warnings as errors, sanitizers, ccache, one precompiled header.

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # ccache handles our precompiled header only with these (its manual, "Precompiled headers").
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE_PROGRAM})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)
  endif()
endif()

add_library(lightrun_warnings INTERFACE)
target_compile_options(lightrun_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 sees overlapping copies in "text" + std::string (GCC bug 105651).
  target_compile_options(lightrun_warnings INTERFACE -Wno-restrict)
endif()

if(LIGHTRUN_SANITIZE)
  add_compile_options(-fsanitize=${LIGHTRUN_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${LIGHTRUN_SANITIZE})
endif()

# Every target that uses LibTorch shares one precompiled header: a source takes a third of the time. It is built
# in a target of its own, with LibTorch's definitions and our warnings (GCC takes it only under equal ones).
function(lightrun_make_torch_pch)
  file(WRITE ${CMAKE_BINARY_DIR}/torch_pch.cpp "")
  add_library(lightrun_torch_pch OBJECT ${CMAKE_BINARY_DIR}/torch_pch.cpp)
  target_link_libraries(lightrun_torch_pch PRIVATE torch lightrun_warnings)
  # Default visibility: LibTorch's own types are visible to all, whatever the source that includes them hides.
  set_target_properties(lightrun_torch_pch PROPERTIES
    CXX_VISIBILITY_PRESET default VISIBILITY_INLINES_HIDDEN OFF)
  target_precompile_headers(lightrun_torch_pch PRIVATE ${CMAKE_SOURCE_DIR}/core/support/torch_pch.hpp)
endfunction()

function(lightrun_use_torch_pch target)
  target_precompile_headers(${target} REUSE_FROM lightrun_torch_pch)
endfunction()
