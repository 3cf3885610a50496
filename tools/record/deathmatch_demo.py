#!/usr/bin/env python3
"""Writes a Doom demo of a deathmatch: players who run about at random, shoot, open doors and begin anew when they are dead.

    deathmatch_demo.py OUT.lmp [SECONDS=60] [PLAYERS=4] [MAP=1] [SEED=1] [VIEW=0]

VIEW is the player whose screen is shown. Record with freedoom.sh and freedoom2.wad. Format: Doom 1.9 (version 109), 13 bytes of header,
4 bytes a player and tic (forward, side, turn, buttons), 35 tics a second, end 0x80.
"""
import random
import sys

FIRE, USE, CHANGE = 1, 2, 4


def main():
    seconds, players, level, seed, view = (int(sys.argv[i]) if len(sys.argv) > i else d for i, d in ((2, 60), (3, 4), (4, 1), (5, 1), (6, 0)))
    chance = random.Random(seed)
    gait = [(0, 0, 0)] * players
    data = bytearray((109, 3, 1, level, 1, 0, 0, 1, view, *(int(i < players) for i in range(4))))
    for tic in range(seconds * 35):
        for player in range(players):
            if tic % 20 == player * 5:
                gait[player] = (chance.choice((25, 50, 50, 50, -25)), chance.choice((-40, 0, 0, 0, 40)), chance.choice((-6, -3, 0, 0, 0, 0, 3, 6)))
            forward, side, turn = gait[player]
            buttons = FIRE if (tic // 35 + player) % 3 else 0
            if tic % 70 == 10:
                buttons = USE  # doors, and a new life
            elif tic % 210 == 100:
                buttons = CHANGE | chance.randrange(1, 6) << 3
            data += bytes((forward & 255, side & 255, turn & 255, buttons))
    with open(sys.argv[1], "wb") as file:
        file.write(data + b"\x80")


main()
