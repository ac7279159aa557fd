# What goes into the prefix. Nothing in it names the prefix, so that it can be moved.

include(CMakePackageConfigHelpers)

install(FILES ${armci_public_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS armci EXPORT ARMCITargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(armci_archive)
    install(FILES ${armci_archive} DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

set(armci_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ARMCI)
install(EXPORT ARMCITargets NAMESPACE ARMCI:: DESTINATION ${armci_package_dir})
configure_package_config_file(cmake/ARMCIConfig.cmake.in ARMCIConfig.cmake
    INSTALL_DESTINATION ${armci_package_dir}
    PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(ARMCIConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ARMCIConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/ARMCIConfigVersion.cmake
    DESTINATION ${armci_package_dir})

# pkg-config finds the prefix from where the file is.
file(RELATIVE_PATH armci_pc_to_prefix
    "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(cmake/armci.pc.in armci.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/armci.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# armci-config, likewise.
file(RELATIVE_PATH armci_bin_to_prefix "/${CMAKE_INSTALL_BINDIR}" "/")
configure_file(cmake/armci-config.in armci-config @ONLY)
install(PROGRAMS ${CMAKE_CURRENT_BINARY_DIR}/armci-config DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES docs/man/armci-config.1 docs/man/armci_info.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
