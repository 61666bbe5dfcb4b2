# lightrun_add_plugin(name SOURCES a.cpp b.cpp [DATA file...] [OUTPUT_DIRECTORY dir])
#
# Builds plugins/<name>/<name>.so with the flags a plugin must have: hidden visibility (two plugins with one class
# name must not share statics) and the lightrun library. In a project of your own, after find_package(lightrun), plugins go
# into the folder LIGHTRUN_PLUGIN_OUTPUT_DIRECTORY, by default plugins/ of the build. DATA files are copied next to it, where
# Params::resource() finds them.
function(lightrun_add_plugin name)
  cmake_parse_arguments(PLUGIN "" "OUTPUT_DIRECTORY" "SOURCES;DATA" ${ARGN})
  if(NOT LIGHTRUN_PLUGIN_OUTPUT_DIRECTORY)
    set(LIGHTRUN_PLUGIN_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/plugins)
  endif()
  if(NOT PLUGIN_OUTPUT_DIRECTORY)
    set(PLUGIN_OUTPUT_DIRECTORY ${LIGHTRUN_PLUGIN_OUTPUT_DIRECTORY}/${name})
  endif()
  set(target plugin_${name})
  add_library(${target} MODULE ${PLUGIN_SOURCES})
  if(TARGET lightrun_core)
    target_link_libraries(${target} PRIVATE lightrun_core)
  else()
    target_link_libraries(${target} PRIVATE lightrun::core)
  endif()
  if(COMMAND lightrun_use_torch_pch)  # inside lightrun's own tree
    target_link_libraries(${target} PRIVATE lightrun_warnings)
    lightrun_use_torch_pch(${target})
  endif()
  set_target_properties(${target} PROPERTIES
    PREFIX "" OUTPUT_NAME ${name} SUFFIX ".so" DEFINE_SYMBOL ""
    LIBRARY_OUTPUT_DIRECTORY ${PLUGIN_OUTPUT_DIRECTORY}
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    INSTALL_RPATH "$ORIGIN/../../..")
  foreach(file ${PLUGIN_DATA})
    get_filename_component(basename ${file} NAME)
    set(copy ${PLUGIN_OUTPUT_DIRECTORY}/${basename})
    add_custom_command(OUTPUT ${copy}
      COMMAND ${CMAKE_COMMAND} -E copy_if_different ${CMAKE_CURRENT_SOURCE_DIR}/${file} ${copy}
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file} VERBATIM)
    list(APPEND copies ${copy})
  endforeach()
  if(copies)
    add_custom_target(${target}_data ALL DEPENDS ${copies})
    add_dependencies(${target} ${target}_data)
  endif()
endfunction()
