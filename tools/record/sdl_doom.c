/*
 * Lets a Doom port that draws through SDL's renderer (Chocolate Doom, Crispy Doom) run off-line and without a loss: its clock advances
 * only where the game waits, so it plays every tic (35 a second) however slow the machine, and each picture goes, untouched, to a pipe.
 *
 *   cc -O2 -shared -fPIC -o sdl_doom.so sdl_doom.c -ldl
 *   LD_PRELOAD=./sdl_doom.so SDL_DOOM_SIZE=1280x720 SDL_DOOM_VIDEO=frames.rgb SDL_DOOM_SCREEN=screen.raw crispy-doom …
 *
 * SDL_DOOM_VIDEO gets the window as raw RGB, top row first, borders black. SDL_DOOM_SCREEN gets the game's own screen of the same picture,
 * before it is enlarged: a line "WIDTH HEIGHT\n", then a byte (an index into the palette) a pixel; truth is read from that.
 * SDL_DOOM_LEFT: columns of the border on the left, where the game reads its window without (Chocolate Doom). SDL_DOOM_FPS leaves pictures out. SDL_DOOM_KEYS=FILE: lines "SECONDS DOWN KEYCODE SCANCODE" in order, SDL's numbers, DOWN 1 for a key that is pressed and
 * 0 for one that is let go. SDL_DOOM_FRAMES ends the game after so many pictures. SDL's headers are not needed: what is used of them is declared here.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct { int x, y, w, h; } Rect;
typedef struct { uint32_t format; void *palette; uint8_t bits; } Format;
typedef struct { uint32_t flags; Format *format; int w, h, pitch; uint8_t *pixels; } Surface;
typedef struct { uint32_t type, time, window; uint8_t state, repeat, unused[2]; int scancode, key; uint16_t mod; uint32_t more; } Key;

static const uint32_t RGB24 = 0x17101803, DOWN = 0x300, UP = 0x301;
static double now;
static int frames, width, height, left, fps = 35;
static FILE *video, *screen, *keys;
static uint8_t *picture;
static Surface *shown;

#define REAL(type, name, ...) static type (*real)(__VA_ARGS__); if (!real) real = dlsym(RTLD_NEXT, name)

static void begin(void) {
  if (video) return;
  const char *size = getenv("SDL_DOOM_SIZE"), *to = getenv("SDL_DOOM_VIDEO"), *raw = getenv("SDL_DOOM_SCREEN"), *list = getenv("SDL_DOOM_KEYS");
  if (!size || !to || sscanf(size, "%dx%d", &width, &height) != 2) { fprintf(stderr, "SDL_DOOM_SIZE and SDL_DOOM_VIDEO are needed\n"); exit(2); }
  video = fopen(to, "wb");
  screen = raw ? fopen(raw, "wb") : NULL;
  keys = list && *list ? fopen(list, "r") : NULL;
  if (getenv("SDL_DOOM_LEFT")) left = atoi(getenv("SDL_DOOM_LEFT"));
  if (getenv("SDL_DOOM_FPS")) fps = atoi(getenv("SDL_DOOM_FPS"));
  picture = calloc((size_t)width * height, 3);
}

/* A game that asks for the time again and again waits for it, too (Woof). */
uint32_t SDL_GetTicks(void) {
  static int asked;
  if (++asked % 200 == 0) now += 1;
  return (uint32_t)now;
}
uint64_t SDL_GetTicks64(void) { return (uint64_t)now; }
uint64_t SDL_GetPerformanceFrequency(void) { return 1000000; }
uint64_t SDL_GetPerformanceCounter(void) { return (uint64_t)(now * 1000); }
void SDL_Delay(uint32_t ms) { now += ms ? ms : 1; }

/* The game's own screen is the surface of one byte a pixel that it turns into colours. */
int SDL_LowerBlit(Surface *from, Rect *a, Surface *to, Rect *b) {
  REAL(int, "SDL_LowerBlit", Surface *, Rect *, Surface *, Rect *);
  if (from->format->bits == 8 && from->h >= 200) shown = from;
  return real(from, a, to, b);
}

int SDL_PollEvent(Key *event) {
  REAL(int, "SDL_PollEvent", Key *);
  static double at;
  static int down, key, scancode, have;
  begin();
  if (keys && !have) {
    have = fscanf(keys, "%lf %d %d %d", &at, &down, &key, &scancode) == 4;
    if (!have) { fclose(keys); keys = NULL; }
  }
  if (!event || !have || frames < at * 35) return real(event);
  memset(event, 0, 56);
  event->type = down ? DOWN : UP;
  event->state = down;
  event->key = key;
  event->scancode = scancode;
  have = 0;
  return 1;
}

void SDL_RenderPresent(void *renderer) {
  REAL(void, "SDL_RenderPresent", void *);
  static int (*read)(void *, const Rect *, uint32_t, void *, int);
  if (!read) read = dlsym(RTLD_NEXT, "SDL_RenderReadPixels");
  begin();
  if (shown && frames * fps / 35 == (frames + 1) * fps / 35) frames++;
  else if (shown) {
    Rect all = {0, 0, width - left, height};
    memset(picture, 0, (size_t)width * height * 3);
    if (read(renderer, &all, RGB24, picture + left * 3, width * 3)) fprintf(stderr, "sdl_doom: no picture\n");
    if (fwrite(picture, 3, (size_t)width * height, video) != (size_t)width * height) _exit(0);
    if (screen) {
      fprintf(screen, "%d %d\n", shown->w, shown->h);
      for (int y = 0; y < shown->h; y++) fwrite(shown->pixels + (size_t)y * shown->pitch, 1, shown->w, screen);
    }
    const char *most = getenv("SDL_DOOM_FRAMES");
    frames++;
    if (most && frames >= atoi(most)) {
      fclose(video);
      if (screen) fclose(screen);
      _exit(0);
    }
  }
  real(renderer);
}
