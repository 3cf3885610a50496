#!/usr/bin/env python3
"""Writes a Doom demo of bare fists: a player who walks, stands and turns through an empty level and strikes at known times.

    swing_demo.py OUT.lmp TRUTH.json [SECONDS=60] [EPISODE=1] [MAP=1] [SEED=1]

For measuring how swings are found (bench/detectors/swings.ts). TRUTH.json gets the seconds of the demo at which the first picture of each blow
is drawn; a recording begins with the frames of the wipe, which come on top. A blow takes 22 tics (4, 4, 5, 4, 5). Record with
freedoom.sh and freedoom1.wad. Format: Doom 1.9 (version 109), 4 bytes a tic (forward, side, turn, buttons), 35 tics a second.
"""
import json
import random
import sys

FIRE, USE, CHANGE = 1, 2, 4
BLOW = 22
# The fists are up: the pistol goes down at 6 pixels a tic, they come up at as many.
READY = 100


def main():
    out, truth = sys.argv[1:3]
    seconds, episode, level, seed = (int(sys.argv[i]) if len(sys.argv) > i else d for i, d in ((3, 60), (4, 1), (5, 1), (6, 1)))
    chance = random.Random(seed)
    data = bytearray((109, 2, episode, level, 0, 0, 0, 1, 0, 1, 0, 0, 0))
    blows = []
    forward = side = turn = 0
    due = READY + 20
    for tic in range(seconds * 35):
        if tic % 40 == 0:
            forward = chance.choice((0, 0, 25, 50, 50, -25))
            side = chance.choice((0, 0, 0, 30, -30))
            # 1/256 of a circle a tic: slow turns, and some by a quarter in a fifth of a second.
            turn = chance.choice((0, 0, 0, 1, -1, 2, -2, 8, -8))
        if abs(turn) == 8 and tic % 40 == 8:
            turn = 0
        buttons = 0
        if tic == 35:
            buttons = CHANGE  # weapon 1
        elif tic == due:
            buttons = FIRE
            blows.append((tic + 1) / 35)
            # Mostly one by one, now and then as fast as fists go.
            due = tic + BLOW + chance.choice((6, 15, 30, 50, 80, 120))
        elif tic % 150 == 75:
            buttons = USE
        data += bytes((forward & 255, side & 255, turn & 255, buttons))
    with open(out, "wb") as file:
        file.write(data + b"\x80")
    with open(truth, "w") as file:
        json.dump({"seconds": seconds, "tics": seconds * 35, "blows": blows}, file)


main()
