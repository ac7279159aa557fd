/* How a library can make Open MPI 4 create windows over TCP, whoever calls MPI_Init. The program tries one.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(OPEN_MPI)
/* The value of the setting osc in one of Open MPI's configuration files, or NULL. */
static char* osc_setting(const char* path, char* line, int size)
{
    FILE* file = fopen(path, "r");
    char* value = NULL;
    if (file == NULL)
        return NULL;
    while (value == NULL && fgets(line, size, file) != NULL) {
        char* name = line + strspn(line, " \t");
        char* rest = name + strcspn(name, " \t=");
        if (rest - name != 3 || memcmp(name, "osc", 3) != 0)
            continue;
        rest += strspn(rest, " \t");
        if (*rest != '=')
            continue;
        value = rest + 1 + strspn(rest + 1, " \t");
        value[strcspn(value, " \t\r\n")] = '\0';
    }
    fclose(file);
    return value;
}

/* Distributions shut osc/pt2pt out in the system's file ("osc = ^ucx,pt2pt"), and over TCP no other component
   of Open MPI 4 makes windows: MPI_ERR_WIN. Components are chosen in MPI_Init, so this runs when the library
   is loaded. The rest of the list stays. What the user chose, on mpirun's command line, in the environment or
   in the file of the home directory, stays too. */
__attribute__((constructor)) static void admit_osc_pt2pt(void)
{
    static const char unwanted[] = "pt2pt";
    char line[1024];
    char path[1024];
    char admitted[1024] = "^";
    char* state = NULL;
    const char* home = getenv("HOME");
    if (getenv("OMPI_MCA_osc") != NULL)
        return;
    if (home != NULL && snprintf(path, sizeof path, "%s/.openmpi/mca-params.conf", home) < (int)sizeof path &&
        osc_setting(path, line, sizeof line) != NULL)
        return;
    char* list = osc_setting("/etc/openmpi/openmpi-mca-params.conf", line, sizeof line);
    if (list == NULL || list[0] != '^' || strstr(list, unwanted) == NULL)
        return;
    for (char* name = strtok_r(list + 1, ",", &state); name != NULL; name = strtok_r(NULL, ",", &state)) {
        if (strcmp(name, unwanted) == 0)
            continue;
        if (admitted[1] != '\0')
            strcat(admitted, ",");
        strcat(admitted, name);
    }
    /* An empty list admits all. */
    setenv("OMPI_MCA_osc", admitted[1] != '\0' ? admitted : "", 0);
}
#endif

int main(int argc, char** argv)
{
    double word = 0;
    MPI_Win window = MPI_WIN_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
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
