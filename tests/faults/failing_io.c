/* Makes the n-th input or output call on files below a folder fail: for LD_PRELOAD, on Linux.

   Python, SQLite, tantivy and numpy all call the C library, so one place sees every call of all of
   them. The tests (injection.py) write what is to fail into a shared file, which has this form: */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
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
  uint64_t sites[8192];   /* where each call came from; written while none is to fail */
  char calls[8192][16];   /* and its name */
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
  void *frames[1];
  backtrace(frames, 1); /* loads what it needs now, and not inside a call */
}

static int is_below(const char *path) {
  return plan && plan->armed && path && plan->below[0] &&
         !strncmp(path, plan->below, strlen(plan->below));
}

static int is_tracked(int fd) { return plan && plan->armed && fd >= 0 && fd < FILES && tracked[fd]; }

static int is_below_at(int folder, const char *path) {
  return path && path[0] != '/' ? is_tracked(folder) : is_below(path);
}

/* A number for the call, the functions it came through, and the file without its hex digits. */
static uint64_t site(const char *call, int fd, const char *path) {
  char name[1024] = "", link[64];
  if (path) strncpy(name, path, sizeof name - 1);
  else {
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, name, sizeof name - 1);
    name[size < 0 ? 0 : size] = 0;
  }
  uint64_t sum = 14695981039346656037ULL; /* FNV-1a */
  for (; *call; call++) sum = (sum ^ (unsigned char)*call) * 1099511628211ULL;
  for (char *at = name; *at; at++)
    if (!strchr("0123456789abcdef", *at)) sum = (sum ^ (unsigned char)*at) * 1099511628211ULL;
  void *frames[16];
  int depth = backtrace(frames, 16);
  for (int n = 3; n < depth; n++) sum = (sum ^ (uint64_t)frames[n]) * 1099511628211ULL;
  return sum;
}

static int fails(const char *call, int fd, const char *path) {
  int64_t number = __sync_add_and_fetch(&plan->count, 1);
  if (!plan->at && number <= 8192) {
    plan->sites[number - 1] = site(call, fd, path);
    strncpy(plan->calls[number - 1], call, 15);
  }
  /* A full disk still deletes, and opens what is there. */
  const char *work[] = {"unlink", "rmdir", "opendir", "reopen", "chmod", "fchmod", "utime"};
  for (int n = 0; n < 7; n++)
    if (plan->error == ENOSPC && !strcmp(call, work[n])) return 0;
  if (!plan->at || number < plan->at || (number > plan->at && !plan->lasts)) return 0;
  if (number == plan->at) strncpy(plan->call, call, sizeof plan->call - 1);
  errno = (int)plan->error;
  return 1;
}

static const char *opens(int folder, const char *path, int flags) {
  struct stat found;
  if (flags & O_CREAT) return "open";
  return !fstatat(folder, path, &found, 0) && S_ISDIR(found.st_mode) ? "opendir" : "reopen";
}

static int opened(int fd, int folder, const char *path) {
  int below = is_below_at(folder, path);
  if (fd >= 0 && fd < FILES) tracked[fd] = below;
  return fd;
}

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name); \
    va_list more; va_start(more, flags); \
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(more, mode_t) : 0; \
    va_end(more); \
    if (is_below(path) && fails(opens(AT_FDCWD, path, flags), -1, path)) return -1; \
    return opened(real(path, flags, mode), AT_FDCWD, path); \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
  int name(int folder, const char *path, int flags, ...) { \
    REAL(name); \
    va_list more; va_start(more, flags); \
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(more, mode_t) : 0; \
    va_end(more); \
    if (is_below_at(folder, path) && fails(opens(folder, path, flags), -1, path)) return -1; \
    return opened(real(folder, path, flags, mode), folder, path); \
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
  if (is_tracked(fd) && fails("write", fd, NULL)) {
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
    if (is_tracked(fd) && fails("pwrite", fd, NULL)) { \
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
  if (is_tracked(fd) && fails("writev", fd, NULL)) return -1;
  return real(fd, parts, count);
}

/* What shutil copies with; a torn one copies half. */
#define SENDFILE(name, offset_t) \
  ssize_t name(int to, int from, offset_t *at, size_t size) { \
    REAL(name); \
    if (is_tracked(to) && fails("sendfile", to, NULL)) { \
      int error = errno; \
      struct stat whole; \
      if (plan->torn && !fstat(from, &whole) && whole.st_size > 1) \
        (void)!real(to, from, at, (size_t)whole.st_size / 2); \
      errno = error; \
      return -1; \
    } \
    return real(to, from, at, size); \
  }
SENDFILE(sendfile, off_t)
SENDFILE(sendfile64, off64_t)

ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t size,
                        unsigned int flags) {
  REAL(copy_file_range);
  if (is_tracked(to) && fails("copy_file_range", to, NULL)) return -1;
  return real(from, from_at, to, to_at, size, flags);
}

size_t fwrite(const void *bytes, size_t size, size_t count, FILE *stream) {
  REAL(fwrite);
  if (is_tracked(fileno(stream)) && fails("fwrite", fileno(stream), NULL)) {
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
    if (is_tracked(fd) && fails(#name, fd, NULL)) return -1; \
    return real(fd); \
  }
ON_FILE(fsync)
ON_FILE(fdatasync)

#define TRUNCATE(name, offset_t) \
  int name(int fd, offset_t size) { \
    REAL(name); \
    if (is_tracked(fd) && fails("ftruncate", fd, NULL)) return -1; \
    return real(fd, size); \
  }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

#define ON_PATH(name) \
  int name(const char *path) { \
    REAL(name); \
    if (is_below(path) && fails(#name, -1, path)) return -1; \
    return real(path); \
  }
ON_PATH(unlink)
ON_PATH(rmdir)

int unlinkat(int folder, const char *path, int flags) {
  REAL(unlinkat);
  if (is_below_at(folder, path) && fails("unlink", -1, path)) return -1;
  return real(folder, path, flags);
}

int chmod(const char *path, mode_t mode) {
  REAL(chmod);
  if (is_below(path) && fails("chmod", -1, path)) return -1;
  return real(path, mode);
}

int fchmod(int fd, mode_t mode) {
  REAL(fchmod);
  if (is_tracked(fd) && fails("fchmod", fd, NULL)) return -1;
  return real(fd, mode);
}

int utimensat(int folder, const char *path, const struct timespec times[2], int flags) {
  REAL(utimensat);
  if (is_below_at(folder, path) && fails("utime", -1, path)) return -1;
  return real(folder, path, times, flags);
}

int mkdir(const char *path, mode_t mode) {
  REAL(mkdir);
  if (is_below(path) && fails("mkdir", -1, path)) return -1;
  return real(path, mode);
}

#define ON_PATHS(name) \
  int name(const char *path, const char *other) { \
    REAL(name); \
    if (is_below(path) && fails(#name, -1, path)) return -1; \
    return real(path, other); \
  }
ON_PATHS(rename)
ON_PATHS(link)
