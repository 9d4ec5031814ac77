# Library, headers, CMake package and pkg-config file.
include(CMakePackageConfigHelpers)

install(TARGETS sodae EXPORT sodae-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS sodae_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/sodae DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT sodae-targets NAMESPACE sodae:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sodae)

configure_package_config_file(cmake/sodae-config.cmake.in sodae-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sodae)
write_basic_package_version_file(sodae-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sodae-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/sodae-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sodae)

# The pkg-config file finds its prefix from where it lies, so that the tree can be moved.
file(RELATIVE_PATH SODAE_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/sodae.pc.in sodae.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sodae.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
