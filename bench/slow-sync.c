// Loaded before the C library (LD_PRELOAD): each sync of a file takes SYNC_MS milliseconds more, as on a disk that has to write.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void delay(void) {
  const char *set = getenv("SYNC_MS");
  long nanoseconds = set == NULL ? 0 : (long)(atof(set) * 1e6);
  struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  nanosleep(&time, NULL);
}

#define SLOW(name) \
  int name(int descriptor) { \
    static __typeof__(&name) real; \
    if (real == NULL) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
    int result = real(descriptor); \
    delay(); \
    return result; \
  }

SLOW(fsync)
SLOW(fdatasync)
