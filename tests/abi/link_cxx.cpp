// A C++ program that uses its own C++ runtime beside the one inside libarmci.a: exceptions, streams and
// locales must still work, before and after ARMCI runs.

#include <armci.h>

#include <iostream>
#include <locale>
#include <map>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace {

bool runtime_works()
{
    try {
        std::map<int, int>().at(1);
        return false;
    } catch (const std::out_of_range&) {
    }
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << 2.5 << ' ' << 7;
    return text.str() == "2.5 7";
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    const bool before = runtime_works();
    if (ARMCI_Init() != 0)
        return 1;
    int me = 0;
    int processes = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);

    std::vector<void*> base(static_cast<std::size_t>(processes));
    if (ARMCI_Malloc(base.data(), sizeof(double)) != 0)
        return 1;
    double one = 1.0;
    double zero = 0.0;
    ARMCI_Put(&zero, base[static_cast<std::size_t>(me)], sizeof zero, me);
    ARMCI_Barrier();
    ARMCI_Acc(ARMCI_ACC_DBL, &one, &one, base[0], sizeof one, 0);
    ARMCI_Barrier();
    const double sum = ARMCI_GetValueDouble(base[0], 0);
    ARMCI_Barrier();
    ARMCI_Free(base[static_cast<std::size_t>(me)]);

    if (!before || !runtime_works() || sum != processes)
        ARMCI_Error("C++ runtime or sum is wrong", 1);
    if (me == 0)
        std::cout << "C++: right on " << processes << " processes" << std::endl;
    ARMCI_Finalize();
    MPI_Finalize();
}
