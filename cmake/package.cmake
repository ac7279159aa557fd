# Debian packages: cpack -G DEB --config build/install-<mpi>/CPackConfig.cmake
#
# A package holds the whole prefix in a folder of its own, so that those for several MPIs stand beside one another.
# By update-alternatives one of them is what programs find that are linked to libarmci.so.1, and what armci-config is.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME armci-rma-${ARMCI_MPI_FLAVOUR})
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "armci-rma")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION} (${ARMCI_MPI_FLAVOUR})")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

set(armci_triplet ${CMAKE_LIBRARY_ARCHITECTURE})
set(armci_package_prefix /usr/lib/${armci_triplet}/armci-rma/${ARMCI_MPI_FLAVOUR})
set(CPACK_PACKAGING_INSTALL_PREFIX ${armci_package_prefix})

# Open MPI is Debian's own default among the MPIs.
set(armci_priority 40)
if(ARMCI_MPI_FLAVOUR STREQUAL "openmpi")
    set(armci_priority 50)
endif()
foreach(script postinst prerm)
    configure_file(cmake/${script}.in ${CMAKE_CURRENT_BINARY_DIR}/package/${script} @ONLY
        FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    list(APPEND CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_BINARY_DIR}/package/${script})
endforeach()

include(CPack)
