/*
 * The scheduler's protocol (src/compute/scheduler/ledger.ts, device.ts) for the model checker Spin: devices that claim
 * portions by shared words, publish regions, sleep and wake by a counter; one of which may die, with its memory or not, or be
 * taken for stuck and go on. Every load, store, exchange, add and notify is one step. Progress along the curves is left out:
 * it is a hint, and a device looks through everything before it sleeps, as here.
 *
 * Run by bench/compute/interleavings.ts --spin. Parameters: DEVICES, PORTIONS, REGIONS; GRAPH (which portions read what);
 * EARLY (regions are published before their portion is done), BATCH, HOLD (claims), CANCEL, FAULT (1 dies, 2 dies with its
 * memory, 3 is retired alive), STAY, and BROKEN (1 a claim in two steps, 2 no wake-up, 3 no look at dependencies): must fail.
 */
#define FREE 0
#define CLAIMED 1
#define DONE 2

#define STATUS(word) ((word) & 3)
#define OWNER(word) (((word) >> 2) & 7)
#define WORD(status, owner, attempt) ((status) | ((owner) << 2) | ((attempt) << 5))
#define ATTEMPT(word) ((word) >> 5)
/* Attempts are counted so far only; the count tells one claim from the next. */
#define NEXT(word) ((ATTEMPT(word) + 1) % 8)

short portion[PORTIONS];
byte region[REGIONS];
byte epoch;
byte stopped;
/* Devices are 1 to 3 at most. */
bool retired[4];
bool dead[4];
bool asleep[4];
bool ended[4];
/* How often a portion's result was accepted. */
byte counted[PORTIONS];
bool lossy;

/* Which portions write: one region each, the first REGIONS of them. */
#define WRITES(p) ((p) < REGIONS)

/* Which regions portion p reads. */
#if GRAPH == 1 /* filters: every later portion reads the regions beside it */
#define READS(p, r) ((p) >= REGIONS && ((r) + REGIONS + 1 >= (p)) && ((r) + REGIONS <= (p) + 1))
#elif GRAPH == 2 /* a pipeline: portion p reads the region of the one before */
#define READS(p, r) ((p) == (r) + 1)
#else /* nothing depends on anything */
#define READS(p, r) false
#endif

#define NEEDED(p, r) (READS(p, r))
#if EARLY
#define THERE(r) (region[r] != 0)
#else
/* Grain of a portion: the writer must be done. */
#define THERE(r) (STATUS(portion[r]) == DONE)
#endif

inline wake() {
  epoch = (epoch + 1) % 64;
#if BROKEN != 2
  d_step { asleep[1] = false; asleep[2] = false; asleep[3] = false }
#endif
}

/* Sets `is` if all that portion p reads is there, one load a step. */
inline look(p, is) {
  is = true;
  r = 0;
#if BROKEN != 3
  do
  :: r < REGIONS && is ->
    if
    :: NEEDED(p, r) -> is = THERE(r)
    :: else
    fi;
    r++
  :: else -> break
  od;
#endif
  r = 0
}

/* Sets `is` if this device took portion p. */
inline take(p, is) {
  word = portion[p];
  is = false;
  if
  :: STATUS(word) == FREE && OWNER(word) != 0 && OWNER(word) == me && others ->
    /* What it has just failed at others try first. */
    skip
  :: STATUS(word) == FREE && !(OWNER(word) == me && others) ->
#if BROKEN == 1
    if
    :: portion[p] == word -> portion[p] = WORD(CLAIMED, me, NEXT(word)); is = true
    :: else
    fi
#else
    atomic {
      if
      :: portion[p] == word -> portion[p] = WORD(CLAIMED, me, NEXT(word)); is = true
      :: else
      fi
    }
#endif
  :: else
  fi;
  word = 0
}

inline giveBack(p) {
  word = portion[p];
  if
  :: STATUS(word) == CLAIMED && OWNER(word) == me ->
    atomic {
      if
      :: portion[p] == word -> portion[p] = WORD(FREE, me, ATTEMPT(word))
      :: else
      fi
    };
    wake()
  :: else
  fi;
  word = 0
}

/* Executes a portion that is claimed, as far as this device knows. */
inline execute(p) {
  word = portion[p];
  if
  :: STATUS(word) == CLAIMED && OWNER(word) == me ->
    /* Here it begins: what it reads must be there, unless it went down with a device. */
    atomic {
      readable = true;
      assert(retired[me] || (STATUS(portion[p]) == CLAIMED && OWNER(portion[p]) == me));
      r = 0;
      do
      :: r < REGIONS ->
        if
        :: NEEDED(p, r) && (region[r] == 0) -> readable = false
        :: else
        fi;
        r++
      :: else -> break
      od;
      r = 0;
      assert(readable || lossy)
    };
    if
    :: !readable -> giveBack(p)
    :: else ->
#if EARLY
      if
      :: WRITES(p) ->
        atomic {
          if
          :: region[p] == 0 -> region[p] = me; readable = true
          :: else -> readable = false
          fi
        };
        if
        :: readable -> wake()
        :: else
        fi
      :: else
      fi;
#endif
      word = portion[p];
      if
      :: STATUS(word) == CLAIMED && OWNER(word) == me ->
        if
        :: WRITES(p) ->
          atomic {
            if
            :: region[p] == 0 -> region[p] = me
            :: else
            fi
          }
        :: else
        fi;
        atomic {
          if
          :: portion[p] == word -> portion[p] = WORD(DONE, me, ATTEMPT(word)); counted[p]++; readable = true
          :: else -> readable = false
          fi
        };
        if
        :: readable -> wake()
        :: else
        fi
      :: else
      fi
    fi
  :: else
  fi;
  readable = false;
  word = 0
}

proctype device(byte me) {
  byte seen, p, r, first, second;
  short word;
  bool is, readable, others, all;
  {
    do
    :: seen = epoch;
      if
      :: stopped != 0 || retired[me] -> break
      :: else
      fi;
      /* Whether another device could take what this one failed at. */
      d_step {
        others = false;
        p = 1;
        do
        :: p <= DEVICES ->
          if
          :: p != me && !retired[p] -> others = true
          :: else
          fi;
          p++
        :: else -> break
        od;
        p = 0
      };
#if HOLD
      /* What it holds may be ready by now. */
      if
      :: first != 0 ->
        look(first - 1, is);
        if
        :: is -> second = first; first = 0; execute(second - 1); second = 0; is = false; goto next
        :: else
        fi
      :: else
      fi;
#endif
      /* The first portion that is free and ready, and with BATCH another one. */
      p = 0;
      all = true;
      do
      :: p < PORTIONS ->
        word = portion[p];
        if
        :: STATUS(word) != DONE -> all = false
        :: else
        fi;
        if
        :: STATUS(word) == FREE ->
          word = 0;
          look(p, is);
          if
          :: is ->
            take(p, is);
            if
            :: is && BATCH && second == 0 -> second = p + 1
            :: is -> break
            :: else
            fi
          :: else
          fi
        :: else
        fi;
        word = 0;
        p++
      :: else -> break
      od;
      word = 0;
      if
      :: second != 0 || is ->
        /* Taken out meanwhile: whoever did it may have passed these portions before they were claimed. */
        if
        :: retired[me] ->
          if
          :: second != 0 -> giveBack(second - 1)
          :: else
          fi;
          if
          :: p < PORTIONS -> giveBack(p)
          :: else
          fi;
          break
        :: else
        fi;
        if
        :: second != 0 -> execute(second - 1)
        :: else
        fi;
        second = 0;
        if
        :: p < PORTIONS -> execute(p)
        :: else
        fi;
        p = 0; is = false; all = false
      :: else ->
        p = 0;
#if HOLD
        if
        :: first == 0 ->
          do
          :: p < PORTIONS ->
            take(p, is);
            if
            :: is -> first = p + 1; break
            :: else -> p++
            fi
          :: else -> break
          od;
          p = 0;
          if
          :: is -> is = false; goto next
          :: else
          fi
        :: else
        fi;
#endif
        is = false;
        if
        :: !STAY && all && first == 0 -> break
        :: else
        fi;
        /* Sleeps if nothing has happened since it began to look. */
        atomic {
          if
          :: epoch == seen -> asleep[me] = true
          :: else
          fi
        };
        !asleep[me]
      fi;
next: seen = 0; all = false
    od;
    if
    :: first != 0 -> giveBack(first - 1); first = 0
    :: else
    fi
  } unless {
    dead[me]
  };
  ended[me] = true
}

/* Ends device 1 at any step, or only says so, and gives its portions to the others. */
proctype coordinator() {
  byte p;
  short word;
#if FAULT == 1 || FAULT == 2
  dead[1] = true;
  ended[1];
#endif
#if FAULT == 2
  lossy = true;
#endif
  retired[1] = true;
  do
  :: p < PORTIONS ->
    word = portion[p];
    if
    :: OWNER(word) == 1 && STATUS(word) != FREE ->
      if
      :: FAULT == 2 && WRITES(p) ->
        atomic {
          if
          :: region[p] == 1 -> region[p] = 0
          :: else
          fi
        }
      :: else
      fi;
      if
      :: STATUS(word) == CLAIMED || (FAULT == 2 && WRITES(p)) ->
        atomic {
          if
          :: portion[p] == word -> portion[p] = WORD(FREE, 1, ATTEMPT(word))
          :: else
          fi
        }
      :: else
      fi
    :: else
    fi;
    p++
  :: else -> break
  od;
  p = 0; word = 0;
  wake()
}

proctype canceller() {
  stopped = 1;
  wake()
}

/* When nothing moves any more: everybody has ended, everything is done, and each result counted once. */
init {
  byte p;
  atomic {
    p = 1;
    do
    :: p <= DEVICES -> run device(p); p++
    :: else -> break
    od;
#if FAULT
    run coordinator();
#endif
#if CANCEL
    run canceller();
#endif
    p = 0
  };
  timeout;
  do
  :: p < PORTIONS ->
    assert(stopped != 0 || STATUS(portion[p]) == DONE);
    assert(counted[p] <= (FAULT == 2 -> 2 : 1));
    assert(stopped != 0 || counted[p] >= 1);
    p++
  :: else -> break
  od;
  p = 1;
  do
  :: p <= DEVICES -> assert(ended[p] || STAY); p++
  :: else -> break
  od
}
