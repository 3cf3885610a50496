#!/usr/bin/env python3
"""Key presses for sdl_doom.c from a list by hand:

    port_keys.py LIST > keys.txt

LIST: lines "SECONDS KEY…" (keys one after the other, a tenth of a second apart), "SECONDS type WORD" (a cheat) or "SECONDS hold KEY LENGTH".
KEY: a character, or up, down, left, right, ctrl, shift, alt, enter, escape, tab, pause, f1 to f12.
"""
import sys

NAMED = {"enter": (13, 40), "escape": (27, 41), "tab": (9, 43), "space": (32, 44), "pause": (0x40000048, 72), "ctrl": (0x400000E0, 224)}
NAMED |= {"shift": (0x400000E1, 225), "alt": (0x400000E2, 226), "right": (0x4000004F, 79), "left": (0x40000050, 80), "down": (0x40000051, 81)}
NAMED |= {"up": (0x40000052, 82), **{f"f{n}": (0x40000039 + n, 57 + n) for n in range(1, 13)}}


def code(key):
    if key in NAMED:
        return NAMED[key]
    if key.isalpha():
        return ord(key), 4 + ord(key) - ord("a")
    return ord(key), 39 if key == "0" else 30 + int(key) - 1


def presses(line):
    at, *words = line.split()
    if words[0] == "hold":
        yield float(at), float(at) + float(words[2]), words[1]
        return
    for i, key in enumerate(words[1] if words[0] == "type" else words):
        yield float(at) + i / 10, float(at) + i / 10 + 0.06, key


events = []
for line in open(sys.argv[1]):
    for down, up, key in presses(line) if line.strip() else ():
        events += [(down, 1, *code(key)), (up, 0, *code(key))]
for event in sorted(events):
    print(*event)
