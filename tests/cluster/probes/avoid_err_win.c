/* How to make Open MPI create windows over TCP, from within a library, whoever calls MPI_Init. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(OPEN_MPI)
/* Some packagings shut osc/pt2pt out in a configuration file, and no other component of Open MPI 4 serves windows
   over TCP: MPI_ERR_WIN. Components are chosen in MPI_Init, so this runs when the library is loaded. The user's own
   choice, on mpirun's command line or in the environment, is in the variable already and stays. Not "pt2pt":
   MPI_Win_allocate_shared wants osc/sm. */
__attribute__((constructor)) static void admit_osc_pt2pt(void)
{
    setenv("OMPI_MCA_osc", "^ucx", 0);
}
#endif

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    static double word;
    MPI_Win window;
    const int code = MPI_Win_create(&word, sizeof word, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (code != MPI_SUCCESS) {
        char text[MPI_MAX_ERROR_STRING] = "";
        int length = 0;
        MPI_Error_string(code, text, &length);
        fprintf(stderr, "MPI_Win_create: %s\n", text);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
