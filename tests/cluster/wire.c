/* The network of a cluster whose frames are to be late or lost: tap devices joined by this program.

       wire <delay in ms> <loss in percent> <device> ...

   Makes the devices, prints "ready", then carries every frame to the device whose address it names, or to all
   others, after the delay. Ends with the process that started it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { most_ports = 256, most_bytes = 2048, most_frames = 1 << 16 };

typedef struct {
    double due;
    int from;
    int bytes;
    unsigned char data[most_bytes];
} Frame;

typedef struct {
    int device;
    int known;
    unsigned char address[6];
} Port;

static Port ports[most_ports];
static int port_count;
/* All frames wait equally long, so they leave in the order they came. */
static Frame* queue[most_frames];
static unsigned head, tail;

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int make_tap(const char* name)
{
    struct ifreq request;
    const int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
    if (device < 0)
        return -1;
    memset(&request, 0, sizeof request);
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
    request.ifr_flags = IFF_TAP | IFF_NO_PI;
    return ioctl(device, TUNSETIFF, &request) < 0 ? -1 : device;
}

static void learn(Port* port, const unsigned char* source)
{
    memcpy(port->address, source, sizeof port->address);
    port->known = 1;
}

static void deliver(const Frame* frame)
{
    int target = -1;
    for (int i = 0; i < port_count; ++i)
        if (ports[i].known && memcmp(ports[i].address, frame->data, sizeof ports[i].address) == 0)
            target = i;
    for (int i = 0; i < port_count; ++i) {
        const int is_target = target >= 0 ? i == target : i != frame->from;
        /* A device that is down takes nothing: the frame is lost, as on a real wire. */
        if (is_target && write(ports[i].device, frame->data, (size_t)frame->bytes) < 0)
            continue;
    }
}

static void receive(int from, double delay, double loss)
{
    for (;;) {
        Frame* frame = malloc(sizeof *frame);
        if (frame == NULL)
            exit(1);
        const ssize_t bytes = read(ports[from].device, frame->data, sizeof frame->data);
        if (bytes <= 0 || tail - head == most_frames || (double)random() < loss / 100 * RAND_MAX) {
            free(frame);
            if (bytes <= 0)
                return;
            continue;
        }
        learn(&ports[from], frame->data + 6);
        frame->due = now_ms() + delay;
        frame->from = from;
        frame->bytes = (int)bytes;
        queue[tail++ % most_frames] = frame;
    }
}

int main(int argc, char** argv)
{
    struct pollfd polled[most_ports];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (argc < 4 || argc - 3 > most_ports)
        return 2;
    const double delay = atof(argv[1]);
    const double loss = atof(argv[2]);
    for (port_count = 0; port_count < argc - 3; ++port_count) {
        ports[port_count].device = make_tap(argv[port_count + 3]);
        if (ports[port_count].device < 0) {
            perror("wire");
            return 1;
        }
        polled[port_count].fd = ports[port_count].device;
        polled[port_count].events = POLLIN;
    }
    puts("ready");
    fflush(stdout);
    for (;;) {
        struct timespec wait = {0, 0};
        if (head != tail) {
            const double left = queue[head % most_frames]->due - now_ms();
            if (left > 0) {
                wait.tv_sec = (time_t)(left / 1e3);
                wait.tv_nsec = (long)((left - (double)wait.tv_sec * 1e3) * 1e6);
            }
        }
        if (ppoll(polled, (nfds_t)port_count, head != tail ? &wait : NULL, NULL) < 0 && errno != EINTR)
            return 1;
        for (int i = 0; i < port_count; ++i)
            if (polled[i].revents & POLLIN)
                receive(i, delay, loss);
        while (head != tail && queue[head % most_frames]->due <= now_ms()) {
            Frame* frame = queue[head++ % most_frames];
            deliver(frame);
            free(frame);
        }
    }
}
