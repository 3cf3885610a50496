#!/usr/bin/env python3
"""Passes raw RGB frames on and presses keys in the game that draws them, at times of the recording:

    … frames … | press_keys.py WIDTHxHEIGHT FPS KEYS.txt | …

KEYS.txt: lines "SECONDS KEY…", keys as xdotool names them; "Up+" holds a key down, "Up-" lets it go. Needs xdotool and the game's DISPLAY.
"""
import subprocess
import sys

width, height = map(int, sys.argv[1].split("x"))
fps = int(sys.argv[2])
due = sorted((float(at), keys) for at, *keys in (line.split() for line in open(sys.argv[3]) if line.strip()))
frame = 0
while data := sys.stdin.buffer.read(width * height * 3):
    sys.stdout.buffer.write(data)
    while due and due[0][0] * fps <= frame:
        for key in due.pop(0)[1]:
            held = {"+": "keydown", "-": "keyup"}.get(key[-1]) if len(key) > 1 else None
            subprocess.run(["xdotool", held, key[:-1]] if held else ["xdotool", "key", "--delay", "30", key], check=False)
    frame += 1
