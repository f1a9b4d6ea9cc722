// A library that is loaded before libc (LD_PRELOAD), with two duties. Recording: each call that
// changes something below the folder SHIM_ROOT is carried out and then noted in the file SHIM_LOG,
// with the data, and so is every flush and whatever goes to standard output; one lock over all
// processes makes the order in the file the order of events. Clock: the number of seconds in the
// file SHIM_CLOCK is added to the time of day, also while a program runs. disk-log.mjs reads the
// log; what passes by unseen (copy_file_range, mmap) shows there, as a replay that differs.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { CREATE = 1, MAKE, WRITE, CUT, FLUSH, MOVE, LINK, REMOVE, TELL };

// One event: then `name_length` bytes of a name, and `length` bytes of data.
struct event {
  uint32_t kind, name_length;
  uint64_t folder, file, offset, length, other_folder, born;
};

static int log_fd = -1;
static char root[PATH_MAX];
static size_t root_length;
static const volatile int64_t *clock_seconds;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name) {
  return dlsym(RTLD_NEXT, name);
}

__attribute__((constructor)) static void begin(void) {
  const char *folder = getenv("SHIM_ROOT"), *log = getenv("SHIM_LOG"), *clock = getenv("SHIM_CLOCK");
  if (folder != NULL && log != NULL && realpath(folder, root) != NULL) {
    root_length = strlen(root);
    log_fd = REAL(open)(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  }
  int fd = clock == NULL ? -1 : REAL(open)(clock, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  void *seconds = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0);
  if (seconds != MAP_FAILED) clock_seconds = seconds;
  close(fd);
}

static void lock(void) {
  pthread_mutex_lock(&mutex);
  flock(log_fd, LOCK_EX);
}

static void unlock(void) {
  int error = errno;
  flock(log_fd, LOCK_UN);
  pthread_mutex_unlock(&mutex);
  errno = error;
}

static void note(struct event event, const char *name, const struct iovec *data, int count) {
  struct iovec all[count + 2];
  int error = errno;
  event.name_length = name == NULL ? 0 : strlen(name);
  all[0] = (struct iovec){&event, sizeof event};
  all[1] = (struct iovec){(void *)name, event.name_length};
  uint64_t rest = event.length;
  for (int i = 0; i < count; i++) {
    all[i + 2] = data[i];
    if (all[i + 2].iov_len > rest) all[i + 2].iov_len = rest;
    rest -= all[i + 2].iov_len;
  }
  size_t size = sizeof event + event.name_length + event.length;
  if (REAL(writev)(log_fd, all, count + 2) != (ssize_t)size) abort();
  errno = error;
}

static int is_within(const char *path) {
  return strncmp(path, root, root_length) == 0 && (path[root_length] == '/' || path[root_length] == 0);
}

// Whether an open file or folder lies below the root; also after its name was removed.
static int is_ours(int fd) {
  char link[64], path[PATH_MAX];
  int error = errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = log_fd < 0 ? -1 : readlink(link, path, sizeof path - 1);
  errno = error;
  if (length < 0) return 0;
  path[length] = 0;
  return is_within(path);
}

static uint64_t inode_of(int fd) {
  struct stat found;
  return fstat(fd, &found) == 0 ? found.st_ino : 0;
}

// Where an entry is: the inode of its folder, and its name; 0 if that is not below the root.
static uint64_t entry(int at, const char *path, char *name) {
  char copy[PATH_MAX], where[PATH_MAX];
  struct stat found;
  int error = errno;
  uint64_t folder = 0;
  if (log_fd >= 0 && (*path == '/' || at == AT_FDCWD) && strlen(path) < sizeof copy) {
    strcpy(copy, path);
    size_t length = strlen(copy);
    while (length > 1 && copy[length - 1] == '/') copy[--length] = 0;
    char *slash = strrchr(copy, '/');
    strcpy(name, slash == NULL ? copy : slash + 1);
    if (slash != NULL) slash[slash == copy] = 0;
    if (realpath(slash == NULL ? "." : copy, where) != NULL && is_within(where) && stat(where, &found) == 0)
      folder = found.st_ino;
  } else if (log_fd >= 0 && is_ours(at) && strchr(path, '/') == NULL) {
    folder = inode_of(at);
    strcpy(name, path);
  }
  errno = error;
  return folder;
}

static uint64_t entry_inode(int at, const char *path) {
  struct stat found;
  int error = errno;
  uint64_t inode = fstatat(at, path, &found, AT_SYMLINK_NOFOLLOW) == 0 ? found.st_ino : 0;
  errno = error;
  return inode;
}

static uint64_t birth(int fd) {
  struct statx found;
  if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &found) != 0) return 0;
  return found.stx_btime.tv_sec * 1000000000ull + found.stx_btime.tv_nsec;
}

static int opened(int at, const char *path, int flags, mode_t mode) {
  char name[PATH_MAX];
  uint64_t folder = (flags & (O_CREAT | O_TRUNC)) == 0 ? 0 : entry(at, path, name);
  if (folder == 0) return REAL(openat)(at, path, flags, mode);
  lock();
  int is_new = entry_inode(at, path) == 0;
  int fd = REAL(openat)(at, path, flags, mode);
  if (fd >= 0 && is_new)
    note((struct event){.kind = CREATE, .folder = folder, .file = inode_of(fd), .born = birth(fd)}, name, NULL, 0);
  else if (fd >= 0 && (flags & O_TRUNC)) note((struct event){.kind = CUT, .file = inode_of(fd)}, NULL, NULL, 0);
  unlock();
  return fd;
}

#define MODE(flags) \
  mode_t mode = 0; \
  if (flags & (O_CREAT | __O_TMPFILE)) { \
    va_list rest; \
    va_start(rest, flags); \
    mode = va_arg(rest, mode_t); \
    va_end(rest); \
  }

int open(const char *path, int flags, ...) {
  MODE(flags)
  return opened(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) {
  MODE(flags)
  return opened(AT_FDCWD, path, flags, mode);
}
int openat(int at, const char *path, int flags, ...) {
  MODE(flags)
  return opened(at, path, flags, mode);
}

// `offset` is -1 for a write at the place where the file stands.
static ssize_t written(int fd, const struct iovec *data, int count, off_t offset) {
  int is_told = fd == STDOUT_FILENO && log_fd >= 0;
  int is_kept = !is_told && is_ours(fd);
  if (is_told || is_kept) lock();
  off_t from = offset >= 0 || !is_kept ? offset
    : lseek(fd, 0, (fcntl(fd, F_GETFL) & O_APPEND) != 0 ? SEEK_END : SEEK_CUR);
  ssize_t done = offset < 0 ? REAL(writev)(fd, data, count) : REAL(pwritev)(fd, data, count, offset);
  if (done > 0 && (is_told || is_kept)) {
    struct event event = {.kind = is_told ? TELL : WRITE, .length = done};
    if (is_kept) event.file = inode_of(fd), event.offset = from;
    note(event, NULL, data, count);
  }
  if (is_told || is_kept) unlock();
  return done;
}

ssize_t write(int fd, const void *data, size_t length) {
  return written(fd, &(struct iovec){(void *)data, length}, 1, -1);
}
ssize_t writev(int fd, const struct iovec *data, int count) {
  return written(fd, data, count, -1);
}
ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) {
  return written(fd, &(struct iovec){(void *)data, length}, 1, offset);
}
ssize_t pwrite64(int fd, const void *data, size_t length, off_t offset) {
  return written(fd, &(struct iovec){(void *)data, length}, 1, offset);
}
ssize_t pwritev(int fd, const struct iovec *data, int count, off_t offset) {
  return written(fd, data, count, offset);
}
ssize_t pwritev64(int fd, const struct iovec *data, int count, off_t offset) {
  return written(fd, data, count, offset);
}

static int cut(int fd, off_t length) {
  if (!is_ours(fd)) return REAL(ftruncate)(fd, length);
  lock();
  int failed = REAL(ftruncate)(fd, length);
  if (!failed) note((struct event){.kind = CUT, .file = inode_of(fd), .offset = length}, NULL, NULL, 0);
  unlock();
  return failed;
}
int ftruncate(int fd, off_t length) {
  return cut(fd, length);
}
int ftruncate64(int fd, off_t length) {
  return cut(fd, length);
}

// Noted before it is done: what comes while it runs need not be on the disk.
static int flushed(int fd, int (*flush)(int)) {
  if (is_ours(fd)) {
    lock();
    note((struct event){.kind = FLUSH, .file = inode_of(fd)}, NULL, NULL, 0);
    unlock();
  }
  // The disk of the campaign is the log.
  return log_fd < 0 ? flush(fd) : 0;
}
int fsync(int fd) {
  return flushed(fd, REAL(fsync));
}
int fdatasync(int fd) {
  return flushed(fd, REAL(fdatasync));
}

int mkdir(const char *path, mode_t mode) {
  char name[PATH_MAX];
  uint64_t folder = entry(AT_FDCWD, path, name);
  if (folder == 0) return REAL(mkdir)(path, mode);
  lock();
  int failed = REAL(mkdir)(path, mode);
  if (!failed) {
    uint64_t made = entry_inode(AT_FDCWD, path);
    note((struct event){.kind = MAKE, .folder = folder, .file = made}, name, NULL, 0);
  }
  unlock();
  return failed;
}

int rename(const char *from, const char *to) {
  char old_name[PATH_MAX], name[PATH_MAX];
  uint64_t old_folder = entry(AT_FDCWD, from, old_name), folder = entry(AT_FDCWD, to, name);
  if (old_folder == 0 || folder == 0) return REAL(rename)(from, to);
  lock();
  uint64_t file = entry_inode(AT_FDCWD, from);
  int failed = REAL(rename)(from, to);
  if (!failed)
    note((struct event){.kind = MOVE, .folder = folder, .file = file, .other_folder = old_folder,
      .length = strlen(old_name)}, name, &(struct iovec){old_name, strlen(old_name)}, 1);
  unlock();
  return failed;
}

int link(const char *from, const char *to) {
  char name[PATH_MAX];
  uint64_t folder = entry(AT_FDCWD, to, name);
  if (folder == 0) return REAL(link)(from, to);
  lock();
  int failed = REAL(link)(from, to);
  if (!failed) {
    uint64_t linked = entry_inode(AT_FDCWD, to);
    note((struct event){.kind = LINK, .folder = folder, .file = linked}, name, NULL, 0);
  }
  unlock();
  return failed;
}

static int removed(int at, const char *path, int flags) {
  char name[PATH_MAX];
  uint64_t folder = entry(at, path, name);
  if (folder == 0) return REAL(unlinkat)(at, path, flags);
  lock();
  int failed = REAL(unlinkat)(at, path, flags);
  if (!failed) note((struct event){.kind = REMOVE, .folder = folder}, name, NULL, 0);
  unlock();
  return failed;
}
int unlink(const char *path) {
  return removed(AT_FDCWD, path, 0);
}
int rmdir(const char *path) {
  return removed(AT_FDCWD, path, AT_REMOVEDIR);
}
int remove(const char *path) {
  return unlink(path) == 0 ? 0 : errno == EISDIR ? rmdir(path) : -1;
}
int unlinkat(int at, const char *path, int flags) {
  return removed(at, path, flags);
}

static int64_t ahead(void) {
  return clock_seconds == NULL ? 0 : *clock_seconds;
}
int clock_gettime(clockid_t id, struct timespec *now) {
  int failed = REAL(clock_gettime)(id, now);
  if (!failed && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) now->tv_sec += ahead();
  return failed;
}
int gettimeofday(struct timeval *now, void *zone) {
  int failed = REAL(gettimeofday)(now, zone);
  if (!failed) now->tv_sec += ahead();
  return failed;
}
time_t time(time_t *to) {
  time_t now = REAL(time)(NULL) + ahead();
  if (to != NULL) *to = now;
  return now;
}
