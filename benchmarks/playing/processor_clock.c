/* The monotonic clock of a process counts its processor time: preloaded, a program that thinks for so long gets so much
   of the processor, whatever else the machine does.
   cc -shared -fPIC -O2 -o processor_clock.so processor_clock.c; LD_PRELOAD=./processor_clock.so PROGRAM */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (clock == CLOCK_MONOTONIC)
        clock = CLOCK_PROCESS_CPUTIME_ID;
    return syscall(SYS_clock_gettime, clock, time);
}
