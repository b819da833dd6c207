/* Makes the n-th input or output call on files below a folder fail: for LD_PRELOAD, on Linux.

   Python, SQLite, tantivy and numpy all call the C library, so one place sees every call of all of
   them. The tests (injection.py) write what is to fail into a shared file, which has this form: */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

struct plan {
  int64_t armed;  /* calls are counted only meanwhile */
  int64_t at;     /* the number of the call that fails, from 1; 0: none */
  int64_t error;  /* errno */
  int64_t torn;   /* a write writes half its bytes first */
  int64_t lasts;  /* every later call fails too */
  int64_t count;  /* how many calls there were */
  char call[24];  /* the name of the one that failed */
  char below[1024];
};

#define FILES 4096
static struct plan *plan;
static char tracked[FILES];

#define REAL(name) \
  static __typeof__(&name) real; \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void start(void) {
  const char *file = getenv("FAILING_IO");
  if (!file) return;
  int fd = (int)open(file, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void *shared = mmap(NULL, sizeof(struct plan), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (shared != MAP_FAILED) plan = shared;
}

static int is_below(const char *path) {
  return plan && plan->armed && path && plan->below[0] &&
         !strncmp(path, plan->below, strlen(plan->below));
}

static int is_tracked(int fd) { return plan && plan->armed && fd >= 0 && fd < FILES && tracked[fd]; }

static int fails(const char *call) {
  int64_t number = __sync_add_and_fetch(&plan->count, 1);
  /* A full disk still deletes. */
  if (plan->error == ENOSPC && (!strcmp(call, "unlink") || !strcmp(call, "rmdir"))) return 0;
  if (!plan->at || number < plan->at || (number > plan->at && !plan->lasts)) return 0;
  if (number == plan->at) strncpy(plan->call, call, sizeof plan->call - 1);
  errno = (int)plan->error;
  return 1;
}

static int opened(int fd, const char *path) {
  if (fd >= 0 && fd < FILES)
    tracked[fd] = plan && plan->below[0] && path && !strncmp(path, plan->below, strlen(plan->below));
  return fd;
}

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name); \
    va_list more; va_start(more, flags); \
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(more, mode_t) : 0; \
    va_end(more); \
    if (is_below(path) && fails("open")) return -1; \
    return opened(real(path, flags, mode), path); \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
  int name(int folder, const char *path, int flags, ...) { \
    REAL(name); \
    va_list more; va_start(more, flags); \
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(more, mode_t) : 0; \
    va_end(more); \
    if (is_below(path) && fails("open")) return -1; \
    return opened(real(folder, path, flags, mode), path); \
  }
OPENAT(openat)
OPENAT(openat64)

int close(int fd) {
  REAL(close);
  if (fd >= 0 && fd < FILES) tracked[fd] = 0;
  return real(fd);
}

#define FCNTL(name) \
  int name(int fd, int command, ...) { \
    REAL(name); \
    va_list more; va_start(more, command); \
    void *value = va_arg(more, void *); \
    va_end(more); \
    int result = real(fd, command, value); \
    if ((command == F_DUPFD || command == F_DUPFD_CLOEXEC) && result >= 0 && result < FILES && \
        fd >= 0 && fd < FILES) \
      tracked[result] = tracked[fd]; \
    return result; \
  }
FCNTL(fcntl)
FCNTL(fcntl64)

ssize_t write(int fd, const void *bytes, size_t size) {
  REAL(write);
  if (is_tracked(fd) && fails("write")) {
    int error = errno;
    if (plan->torn && size > 1) (void)!real(fd, bytes, size / 2);
    errno = error;
    return -1;
  }
  return real(fd, bytes, size);
}

#define PWRITE(name, offset_t) \
  ssize_t name(int fd, const void *bytes, size_t size, offset_t at) { \
    REAL(name); \
    if (is_tracked(fd) && fails("pwrite")) { \
      int error = errno; \
      if (plan->torn && size > 1) (void)!real(fd, bytes, size / 2, at); \
      errno = error; \
      return -1; \
    } \
    return real(fd, bytes, size, at); \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(writev);
  if (is_tracked(fd) && fails("writev")) return -1;
  return real(fd, parts, count);
}

size_t fwrite(const void *bytes, size_t size, size_t count, FILE *stream) {
  REAL(fwrite);
  if (is_tracked(fileno(stream)) && fails("fwrite")) {
    int error = errno;
    if (plan->torn) real(bytes, size, count / 2, stream);
    errno = error;
    return plan->torn ? count / 2 : 0;
  }
  return real(bytes, size, count, stream);
}

#define ON_FILE(name) \
  int name(int fd) { \
    REAL(name); \
    if (is_tracked(fd) && fails(#name)) return -1; \
    return real(fd); \
  }
ON_FILE(fsync)
ON_FILE(fdatasync)

#define TRUNCATE(name, offset_t) \
  int name(int fd, offset_t size) { \
    REAL(name); \
    if (is_tracked(fd) && fails("ftruncate")) return -1; \
    return real(fd, size); \
  }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

#define ON_PATH(name) \
  int name(const char *path) { \
    REAL(name); \
    if (is_below(path) && fails(#name)) return -1; \
    return real(path); \
  }
ON_PATH(unlink)
ON_PATH(rmdir)

int unlinkat(int folder, const char *path, int flags) {
  REAL(unlinkat);
  if (is_below(path) && fails("unlink")) return -1;
  return real(folder, path, flags);
}

int mkdir(const char *path, mode_t mode) {
  REAL(mkdir);
  if (is_below(path) && fails("mkdir")) return -1;
  return real(path, mode);
}

#define ON_PATHS(name) \
  int name(const char *path, const char *other) { \
    REAL(name); \
    if (is_below(path) && fails(#name)) return -1; \
    return real(path, other); \
  }
ON_PATHS(rename)
ON_PATHS(link)
