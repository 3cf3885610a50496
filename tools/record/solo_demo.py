#!/usr/bin/env python3
"""Writes a Doom demo of players who run about at random in a level with its monsters: they shoot, change weapons, open doors and begin anew when they are dead.

    solo_demo.py OUT.lmp [SECONDS=60] [EPISODE=1] [MAP=1] [SEED=1] [SKILL=3] [PLAYERS=1]
"""
import random
import sys

FIRE, USE, CHANGE = 1, 2, 4


def main():
    args = [int(sys.argv[i]) if len(sys.argv) > i else d for i, d in ((2, 60), (3, 1), (4, 1), (5, 1), (6, 3), (7, 1))]
    seconds, episode, level, seed, skill, players = args
    chance = random.Random(seed)
    gait = [(0, 0, 0)] * players
    shooting = [0] * players
    data = bytearray((109, skill, episode, level, 0, 0, 0, 0, 0, *(int(i < players) for i in range(4))))
    for tic in range(seconds * 35):
        for player in range(players):
            if tic % 24 == player * 5:
                gait[player] = (chance.choice((25, 50, 50, 50, 50, -25)), chance.choice((-24, 0, 0, 0, 24)), chance.choice((-5, -2, 0, 0, 0, 0, 0, 2, 5)))
                shooting[player] = chance.random() < 0.45
            forward, side, turn = gait[player]
            buttons = FIRE if shooting[player] else 0
            if tic % 35 == 10:
                buttons = USE
            elif tic % 175 == 100:
                buttons = CHANGE | chance.randrange(0, 6) << 3
            data += bytes((forward & 255, side & 255, turn & 255, buttons))
    with open(sys.argv[1], "wb") as file:
        file.write(data + b"\x80")


main()
