# From a checkout:
#
#     spack repo add tools/spack
#     spack dev-build armci-rma@main ^openmpi      # or: ^mpich

from spack.package import *


class ArmciRma(CMakePackage):
    """ARMCI one-sided communication for Global Arrays and NWChem, on MPI-3 and the shared memory of nodes."""

    license("BSD-3-Clause")

    version("main")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("boost", type="build")  # headers
    depends_on("mpi")

    def cmake_args(self):
        return [
            self.define("MPI_C_COMPILER", self.spec["mpi"].mpicc),
            self.define("ARMCI_BUILD_TESTS", False),
            self.define("ARMCI_BUILD_EXAMPLES", False),
            self.define("ARMCI_BUILD_BENCHMARKS", False),
        ]
