#!/usr/bin/env python3
"""play_keys.py FRAMES FPS SEED PLAY: presses the keys of a player in a game that runs off-line (steady.c), with xdotool.

FRAMES is the STEADY_NOTES of the game: a line a picture, so that keys follow the game's clock, not the machine's; - follows the
machine's clock. PLAY is a list by hand:
"SECONDS KEY…" (pressed one after the other, a fifth of a second apart), "SECONDS hold KEY LENGTH", "SECONDS click X Y", and
"FROM-TO every GAP hold|tap KEY… [LENGTH]", which by chance holds or taps one of the keys, with pauses of GAP to twice GAP seconds and,
where it holds, for LENGTH to twice LENGTH seconds. KEY may be button1, a button of the mouse. "FROM-TO every GAP turn PIXELS" moves the
mouse to the left or to the right by up to so many pixels.
"""
import os, random, subprocess, sys, time

frames, fps, seed, play = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
chance = random.Random(seed)
events = []


def hold(at, key, length):
    what, name = ('mouse', key[-1]) if key.startswith('button') else ('key', key)
    events.append((at, [what + 'down', name]))
    events.append((at + length, [what + 'up', name]))


for line in open(play):
    words = line.split('#')[0].split()
    if not words: continue
    if words[1] == 'every':
        at, end = map(float, words[0].split('-'))
        gap, keys = float(words[2]), words[4:-1] if words[3] == 'hold' else words[4:]
        while True:
            at += gap * (1 + chance.random())
            if at > end: break
            if words[3] == 'turn':
                events.append((at, ['mousemove_relative', '--', str(chance.randint(-int(words[4]), int(words[4]))), '0']))
                continue
            key = chance.choice(keys)
            length = float(words[-1]) * (1 + chance.random()) if words[3] == 'hold' else 0.1
            hold(at, key, length)
            at += length
    elif words[1] == 'hold':
        hold(float(words[0]), words[2], float(words[3]))
    elif words[1] == 'click':
        events.append((float(words[0]), ['mousemove', words[2], words[3]]))
        events.append((float(words[0]) + 0.3, ['mousedown', '1']))
        events.append((float(words[0]) + 0.5, ['mouseup', '1']))
    else:
        for i, key in enumerate(words[1:]): hold(float(words[0]) + i / 5, key, 0.1)

start = time.monotonic()


def elapsed():
    """Seconds of the game."""
    if frames == '-': return time.monotonic() - start
    try:
        with open(frames, 'rb') as notes:
            notes.seek(max(0, os.path.getsize(frames) - 64))
            lines = notes.read().split(b'\n')
            # The last whole line; until the first picture, there is none.
            return int(lines[-2].split()[0]) / fps if len(lines) > 1 and lines[-2] else 0
    except FileNotFoundError:
        return 0


for at, words in sorted(events):
    while elapsed() < at: time.sleep(0.005)
    subprocess.run(['xdotool', *words], check=False)
