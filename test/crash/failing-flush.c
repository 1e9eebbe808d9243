/* Preloaded into PostgreSQL: while the file named by FAIL_WHILE exists, every flush to the disk fails with EIO. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static long flush(long number, int fd) {
  const char *path = getenv("FAIL_WHILE");
  if (path != NULL && syscall(SYS_faccessat, -100 /* AT_FDCWD */, path, F_OK) == 0) {
    errno = EIO;
    return -1;
  }
  return syscall(number, fd);
}

int fsync(int fd) { return (int)flush(SYS_fsync, fd); }
int fdatasync(int fd) { return (int)flush(SYS_fdatasync, fd); }
int syncfs(int fd) { return (int)flush(SYS_syncfs, fd); }
