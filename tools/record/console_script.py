#!/usr/bin/env python3
"""Gives a game of the Quake III engine console commands at times of its own clock, through its pipe (com_pipefile).

    console_script.py FRAMES.txt PIPE FPS SCRIPT.txt

FRAMES.txt is what steady.c notes, a line a picture. SCRIPT.txt: lines "SECONDS command", in order. Ends with the script.
"""
import os
import sys
import time

notes, pipe, fps, script = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
due = [line.rstrip("\n").split(" ", 1) for line in open(script) if line.strip()]
while not (os.path.exists(pipe) and os.path.exists(notes)):
    time.sleep(0.05)
out, seen = os.open(pipe, os.O_WRONLY), open(notes)
frame = 0
while due:
    if read := seen.read():
        frame += read.count("\n")
    else:
        time.sleep(0.005)
    while due and float(due[0][0]) * fps <= frame:
        try:
            os.write(out, (due.pop(0)[1] + "\n").encode("latin-1"))
        except BrokenPipeError:
            sys.exit("the game is over")
