# Library, headers, CMake package and pkg-config file.
include(CMakePackageConfigHelpers)

install(TARGETS sodae sodae_static EXPORT sodae-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS sodae_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES cli/sodae.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME sodae)
install(FILES cli/_sodae DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES cli/sodae.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/sodae)
install(FILES ${CMAKE_BINARY_DIR}/cli/model.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/sodae)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY include/sodae DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT sodae-targets NAMESPACE sodae:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sodae)

configure_package_config_file(cmake/sodae-config.cmake.in sodae-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sodae)
write_basic_package_version_file(sodae-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sodae-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/sodae-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sodae)

# The pkg-config file finds its prefix from where it lies, so that the tree can be moved.
string(REPLACE ";" " " SODAE_PC_PRIVATE "${SUITESPARSE_LIBRARIES} ${LAPACK_LIBRARIES} -lyaml -lm")
string(REGEX REPLACE "(^| )dl( |$)" "\\1-ldl\\2" SODAE_PC_PRIVATE "${SODAE_PC_PRIVATE}")
file(RELATIVE_PATH SODAE_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/sodae.pc.in sodae.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sodae.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
