/* A plug-in with libarmci.a inside, which brings its calls. */
#include <armci.h>

int plugin_version(void);
int plugin_version(void)
{
    return ARMCI_Initialized();
}
