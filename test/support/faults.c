// Loaded before the C library (LD_PRELOAD): makes system calls on files fail, as listed in the file that FAULTS names. Each
// line is an operation (open, create: open to write, new: open one that does not exist, read, write, sync), an error number, and a pattern of paths: "write 28 *-wal".
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

// The error with which an operation on a path must fail, or 0.
static int fault_of(const char *operation, const char *path) {
  const char *name = getenv("FAULTS");
  int saved = errno, fault = 0, number;
  char word[16], pattern[1024];
  FILE *faults = name == NULL ? NULL : fopen(name, "re");
  if (faults != NULL) {
    while (fault == 0 && fscanf(faults, "%15s %d %1023s", word, &number, pattern) == 3)
      if (strcmp(word, operation) == 0 && fnmatch(pattern, path, 0) == 0) fault = number;
    fclose(faults);
  }
  errno = saved;
  return fault;
}

static int fault_of_descriptor(const char *operation, int descriptor) {
  const char *name = getenv("FAULTS");
  char link[64], path[4096];
  int saved = errno;
  ssize_t length;
  if (name == NULL || access(name, F_OK) != 0) {
    errno = saved;
    return 0;
  }
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  length = readlink(link, path, sizeof path - 1);
  errno = saved;
  if (length < 0) return 0;
  path[length] = 0;
  return fault_of(operation, path);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define FAIL_IF(fault) \
  do { \
    int number = fault; \
    if (number != 0) { errno = number; return -1; } \
  } while (0)

#define ON_DESCRIPTOR(operation, result, name, parameters, arguments) \
  result name parameters { \
    static __typeof__(&name) real; \
    if (real == NULL) real = REAL(name); \
    FAIL_IF(fault_of_descriptor(operation, descriptor)); \
    return real arguments; \
  }

ON_DESCRIPTOR("write", ssize_t, write, (int descriptor, const void *bytes, size_t size), (descriptor, bytes, size))
ON_DESCRIPTOR("write", ssize_t, pwrite, (int descriptor, const void *bytes, size_t size, off_t at), (descriptor, bytes, size, at))
ON_DESCRIPTOR("write", ssize_t, pwrite64, (int descriptor, const void *bytes, size_t size, off64_t at), (descriptor, bytes, size, at))
ON_DESCRIPTOR("write", ssize_t, writev, (int descriptor, const struct iovec *parts, int count), (descriptor, parts, count))
ON_DESCRIPTOR("read", ssize_t, read, (int descriptor, void *bytes, size_t size), (descriptor, bytes, size))
ON_DESCRIPTOR("read", ssize_t, pread, (int descriptor, void *bytes, size_t size, off_t at), (descriptor, bytes, size, at))
ON_DESCRIPTOR("read", ssize_t, pread64, (int descriptor, void *bytes, size_t size, off64_t at), (descriptor, bytes, size, at))
ON_DESCRIPTOR("sync", int, fsync, (int descriptor), (descriptor))
ON_DESCRIPTOR("sync", int, fdatasync, (int descriptor), (descriptor))

#define ON_PATH(name) \
  int name(const char *path, int flags, ...) { \
    static __typeof__(&name) real; \
    mode_t mode = 0; \
    if (real == NULL) real = REAL(name); \
    if (flags & (O_CREAT | __O_TMPFILE)) { \
      va_list rest; \
      va_start(rest, flags); \
      mode = va_arg(rest, mode_t); \
      va_end(rest); \
    } \
    FAIL_IF(fault_of("open", path)); \
    if ((flags & O_ACCMODE) != O_RDONLY) FAIL_IF(fault_of("create", path)); \
    if ((flags & O_CREAT) && access(path, F_OK) != 0) FAIL_IF(fault_of("new", path)); \
    return real(path, flags, mode); \
  }

ON_PATH(open)
ON_PATH(open64)
