/*
 * Lets any OpenGL game run off-line: its clock advances by 1/STEADY_FPS of a second a picture, however slow the machine, and
 * each picture goes to a file or pipe. Loaded in front of the game:
 *
 *   cc -O2 -shared -fPIC -o steady.so steady.c -ldl
 *   LD_PRELOAD=./steady.so STEADY_FPS=30 STEADY_VIDEO=frames.rgb STEADY_SIZE=1280x720 game
 *
 * Pictures are raw RGB, 8 bits, bottom row first (ffmpeg -vf vflip). STEADY_NOTES=FILE gets a line a picture: its number and
 * how long STEADY_WATCH (the game's own log, say) was when it was shown: what stands there up to that length belongs to it.
 * STEADY_KEEP=FILE, written anew by the game now and then (its recording of a round): what it held stays as FILE.1, FILE.2 …,
 * and it is written through at once, so that STEADY_WATCH of the same file is exact.
 * STEADY_POLL=N moves the clock on by a millisecond where the game asks for it N times in vain (one that waits for it, busily).
 * STEADY_FRAMES ends the game after so many pictures. Threads other than the one that draws (sound) sleep by the same clock.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static _Atomic int64_t now = 1000000000LL * 1000; /* nanoseconds */
static _Atomic int drawing;                       /* the thread that draws, 0 until it has */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int number(const char *name, int otherwise) {
  const char *s = getenv(name);
  return s ? atoi(s) : otherwise;
}

static void pass(int64_t ns) { now += ns; }

static void really(int64_t ns) {
  struct timespec t = {ns / 1000000000, ns % 1000000000};
  syscall(SYS_nanosleep, &t, NULL);
}

/*
 * The drawing thread (and the first one, until something was drawn) moves the clock by its sleep; others wait for the clock.
 * Their sleeps follow each other without loss, although the clock goes in steps of a picture: sound keeps its rate.
 */
static void doze(int64_t ns) {
  static __thread int64_t due;
  int me = (int)syscall(SYS_gettid), draws = drawing ? drawing : (int)getpid();
  if (me == draws) {
    pass(ns);
    really(50000);
    return;
  }
  if (due < now - 1000000000LL) due = now;
  due += ns;
  for (int i = 0; now < due && i < 20000; i++) really(500000);
}

/* A game that asks for the time again and again until it has moved would wait for ever. */
static void polled(void) {
  static __thread int64_t seen;
  static __thread int asked;
  static int most = -1;
  if (most < 0) most = number("STEADY_POLL", 0);
  if (!most) return;
  asked = seen == now ? asked + 1 : 0;
  seen = now;
  if (asked < most || (int)syscall(SYS_gettid) != (drawing ? drawing : (int)getpid())) return;
  asked = 0;
  pass(1000000);
}

int clock_gettime(clockid_t id, struct timespec *t) {
  if (id == CLOCK_PROCESS_CPUTIME_ID || id == CLOCK_THREAD_CPUTIME_ID) return (int)syscall(SYS_clock_gettime, id, t);
  polled();
  int64_t n = now;
  t->tv_sec = n / 1000000000;
  t->tv_nsec = n % 1000000000;
  return 0;
}

int gettimeofday(struct timeval *t, void *zone) {
  polled();
  int64_t n = now;
  (void)zone;
  t->tv_sec = n / 1000000000;
  t->tv_usec = n % 1000000000 / 1000;
  return 0;
}

int nanosleep(const struct timespec *t, struct timespec *rest) {
  if (rest) memset(rest, 0, sizeof *rest);
  doze(t->tv_sec * 1000000000LL + t->tv_nsec);
  return 0;
}

int clock_nanosleep(clockid_t id, int flags, const struct timespec *t, struct timespec *rest) {
  int64_t ns = t->tv_sec * 1000000000LL + t->tv_nsec;
  (void)id;
  if (rest) memset(rest, 0, sizeof *rest);
  doze(flags & TIMER_ABSTIME ? (ns > now ? ns - now : 0) : ns);
  return 0;
}

int usleep(useconds_t us) {
  doze(us * 1000LL);
  return 0;
}

/* The thread that draws waits for the network by moving the clock. */
int select(int count, fd_set *read, fd_set *write, fd_set *except, struct timeval *limit) {
  static int (*next)(int, fd_set *, fd_set *, fd_set *, struct timeval *);
  if (!next) next = (int (*)(int, fd_set *, fd_set *, fd_set *, struct timeval *))dlsym(RTLD_NEXT, "select");
  if (limit && (int)syscall(SYS_gettid) == (drawing ? drawing : (int)getpid())) {
    pass(limit->tv_sec * 1000000000LL + limit->tv_usec * 1000LL);
    limit->tv_sec = limit->tv_usec = 0;
  }
  return next(count, read, write, except, limit);
}

/* The same for event loops that wait for their next timer (Qt). */
int poll(struct pollfd *files, nfds_t count, int limit) {
  static int (*next)(struct pollfd *, nfds_t, int);
  if (!next) next = (int (*)(struct pollfd *, nfds_t, int))dlsym(RTLD_NEXT, "poll");
  if (limit <= 0 || (int)syscall(SYS_gettid) != (drawing ? drawing : (int)getpid())) return next(files, count, limit);
  int ready = next(files, count, 0);
  if (ready == 0) pass(limit * 1000000LL);
  return ready;
}

FILE *fopen(const char *path, const char *mode) {
  static FILE *(*next)(const char *, const char *);
  static int kept;
  if (!next) next = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
  const char *keep = getenv("STEADY_KEEP");
  int mine = keep && mode[0] == 'w' && !strcmp(path, keep);
  struct stat about;
  if (mine && !stat(path, &about)) {
    char name[4096];
    snprintf(name, sizeof name, "%s.%d", path, ++kept);
    rename(path, name);
  }
  FILE *file = next(path, mode);
  if (mine && file) setvbuf(file, NULL, _IONBF, 0);
  return file;
}

typedef void (*read_pixels)(int, int, int, int, unsigned, unsigned, void *);
typedef void (*pixel_store)(unsigned, int);

/* Called after a picture is complete and before it is shown. */
static void picture(void) {
  static FILE *video, *notes;
  static unsigned char *pixels;
  static int width, height, count, most;
  static read_pixels read;
  static pixel_store store;
  drawing = (int)syscall(SYS_gettid);
  if (!pixels) {
    const char *size = getenv("STEADY_SIZE"), *path = getenv("STEADY_VIDEO"), *log = getenv("STEADY_NOTES");
    if (!size || sscanf(size, "%dx%d", &width, &height) != 2) width = 1280, height = 720;
    void *gl = dlopen("libGL.so.1", RTLD_LAZY | RTLD_GLOBAL);
    read = (read_pixels)dlsym(gl, "glReadPixels");
    store = (pixel_store)dlsym(gl, "glPixelStorei");
    video = path ? fopen(path, "wb") : NULL;
    notes = log ? fopen(log, "w") : NULL;
    pixels = malloc((size_t)width * height * 3);
    most = number("STEADY_FRAMES", 0);
  }
  if (video && read) {
    store(0x0D05 /* GL_PACK_ALIGNMENT */, 1);
    read(0, 0, width, height, 0x1907 /* GL_RGB */, 0x1401 /* GL_UNSIGNED_BYTE */, pixels);
    fwrite(pixels, 3, (size_t)width * height, video);
  }
  if (notes) {
    struct stat about;
    const char *watched = getenv("STEADY_WATCH");
    fprintf(notes, "%d %lld\n", count, watched && !stat(watched, &about) ? (long long)about.st_size : 0);
    fflush(notes);
  }
  static int64_t due;
  int64_t step = 1000000000LL / number("STEADY_FPS", 30);
  /* What waiting has moved the clock by belongs to the picture's time. */
  if (number("STEADY_POLL", 0) && due + step > now && due + step - now < step) now = due + step;
  else pass(step);
  due = now;
  if (++count == most) {
    if (video) fclose(video);
    if (notes) fclose(notes);
    _exit(0);
  }
}

void glXSwapBuffers(void *display, unsigned long drawable) {
  static void (*next)(void *, unsigned long);
  if (!next) next = (void (*)(void *, unsigned long))dlsym(RTLD_NEXT, "glXSwapBuffers");
  pthread_mutex_lock(&lock);
  picture();
  pthread_mutex_unlock(&lock);
  if (next) next(display, drawable);
}

void SDL_GL_SwapWindow(void *window) {
  static void (*next)(void *);
  if (!next) next = (void (*)(void *))dlsym(RTLD_NEXT, "SDL_GL_SwapWindow");
  pthread_mutex_lock(&lock);
  picture();
  pthread_mutex_unlock(&lock);
  if (next) next(window);
}

/* SDL 1.2, which finds the functions of OpenGL itself. */
void SDL_GL_SwapBuffers(void) {
  static void (*next)(void);
  if (!next) next = (void (*)(void))dlsym(RTLD_NEXT, "SDL_GL_SwapBuffers");
  pthread_mutex_lock(&lock);
  picture();
  pthread_mutex_unlock(&lock);
  if (next) next();
}
