# What find_package(lightrun) needs, in the build tree and when it is installed; and the models that `lightrun new` copies.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/lightrun)
set(share_dir share/lightrun)

set_target_properties(lightrun_core PROPERTIES EXPORT_NAME core)
set_target_properties(lightrun_base PROPERTIES EXPORT_NAME base)
set_target_properties(lightrun_loggers PROPERTIES EXPORT_NAME loggers)
target_compile_features(lightrun_core INTERFACE cxx_std_20)

install(TARGETS lightrun_core lightrun_base lightrun_loggers EXPORT lightrunTargets)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/core/include/lightrun DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT lightrunTargets NAMESPACE lightrun:: DESTINATION ${package_dir})
export(EXPORT lightrunTargets NAMESPACE lightrun:: FILE ${CMAKE_BINARY_DIR}/lib/cmake/lightrun/lightrunTargets.cmake)

configure_file(${CMAKE_SOURCE_DIR}/core/cmake/lightrunConfig.cmake
  ${CMAKE_BINARY_DIR}/lib/cmake/lightrun/lightrunConfig.cmake COPYONLY)
configure_file(${CMAKE_SOURCE_DIR}/core/cmake/lightrun_add_plugin.cmake
  ${CMAKE_BINARY_DIR}/lib/cmake/lightrun/lightrun_add_plugin.cmake COPYONLY)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/lib/cmake/lightrun/lightrunConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_BINARY_DIR}/lib/cmake/lightrun/lightrunConfig.cmake
  ${CMAKE_BINARY_DIR}/lib/cmake/lightrun/lightrunConfigVersion.cmake
  ${CMAKE_BINARY_DIR}/lib/cmake/lightrun/lightrun_add_plugin.cmake
  DESTINATION ${package_dir})

# Plugins, where the installed library looks for them, with the data next to them.
install(DIRECTORY ${LIGHTRUN_PLUGIN_OUTPUT_DIRECTORY}/ DESTINATION ${CMAKE_INSTALL_LIBDIR}/lightrun/plugins
  USE_SOURCE_PERMISSIONS)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/configs DESTINATION ${share_dir})
install(FILES ${CMAKE_SOURCE_DIR}/README.md DESTINATION share/doc/lightrun)
install(FILES ${CMAKE_SOURCE_DIR}/plugins/README.md DESTINATION share/doc/lightrun/plugins)

# Copied at each configuration: a changed model is seen at the next one.
foreach(name starter tabular char_lstm tiny_gpt gan autoencoder)
  file(COPY ${CMAKE_SOURCE_DIR}/plugins/${name} DESTINATION ${CMAKE_BINARY_DIR}/${share_dir}/templates)
  if(EXISTS ${CMAKE_SOURCE_DIR}/configs/${name}.yaml)
    file(COPY ${CMAKE_SOURCE_DIR}/configs/${name}.yaml DESTINATION ${CMAKE_BINARY_DIR}/${share_dir}/templates)
  endif()
endforeach()
install(DIRECTORY ${CMAKE_BINARY_DIR}/${share_dir}/templates DESTINATION ${share_dir})
