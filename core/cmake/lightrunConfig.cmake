# find_package(lightrun): the library lightrun::core and lightrun_add_plugin().
include(CMakeFindDependencyMacro)
find_dependency(Torch)
include(${CMAKE_CURRENT_LIST_DIR}/lightrunTargets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/lightrun_add_plugin.cmake)
