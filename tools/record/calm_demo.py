#!/usr/bin/env python3
"""Writes a Doom demo of a calm game: a walk in wide circles through an empty level, with a shot now and then.

    calm_demo.py OUT.lmp [SECONDS=640] [SECONDS_BETWEEN_SHOTS=20]

For measuring how little work a recording needs in which the HUD hardly changes. Format: Doom 1.9 (version 109), 13 bytes
of header, 4 bytes a tic (forward, side, turn, buttons), 35 tics a second, end 0x80.
"""
import random
import sys

FIRE, USE = 1, 2


def tics(seconds, every, chance=random.Random(7)):
    forward = turn = 0
    for tic in range(seconds * 35):
        if tic % 70 == 0:  # every two seconds another gait: stand, walk, turn slowly
            forward = chance.choice((0, 0, 25, 25, 50))
            turn = chance.choice((-2, -1, 0, 0, 1, 1, 2))
        buttons = FIRE if tic % (every * 35) in (17, 18) and tic > 70 else 0
        if tic % 350 == 100:
            buttons |= USE
        yield bytes((forward & 255, 0, turn & 255, buttons))


def main():
    out = sys.argv[1]
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 640
    every = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    # version, skill, episode, map, deathmatch, respawn, fast, nomonsters, console player, players 1 to 4
    header = bytes((109, 2, 1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0))
    with open(out, "wb") as file:
        file.write(header + b"".join(tics(seconds, every)) + b"\x80")


main()
