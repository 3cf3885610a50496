#!/usr/bin/env python3
"""Makes the icons of configs/freedoom from the game's own graphics, at the size that they have on a screen of 1280 × 720:

    doom_icons.py GAME.wad FOLDER [levels]

The boxes of the status bar for keys, empty and with each key, and for arms, with the number of each in yellow (owned) and grey; two labels of
the bar; the headings of the screens between levels. With `levels` only the middles of the levels' names on those screens.
"""
import os
import re
import sys

import cv2
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from doom_truth import Wad

COLOURS = ("blue", "yellow", "red")
# The status bar begins in row 168 of 200; keys are drawn at (239, 171), (239, 181) and (239, 191).
BOX_X, BOX_Y, BOX_WIDTH, BOX_HEIGHT = 238, 2, 9, 9
# Arms: the numbers of the weapons in two rows of three, 12 apart across and 10 down, the first (2) at (111, 172).
ARMS_X, ARMS_Y, ARMS_WIDTH, ARMS_HEIGHT = 108, 2, 10, 10
# Of a level's name, which is centred, so many columns in the middle tell it from all others.
NAME_COLUMNS = 80
LABELS = {"bar": (188, 23, 46, 8), "bar-left": (2, 26, 46, 3)}


def level_of(lump):
    found = re.fullmatch(r"WILV(\d)(\d)|CWILV(\d\d)", lump)
    if not found:
        return None
    episode, level, number = found.groups()
    return f"MAP{int(number) + 1:02}" if number else f"E{int(episode) + 1}M{int(level) + 1}"


def middle(patch):
    """What is drawn of a centred patch in the middle of the screen, transparent beside it."""
    left = 160 - NAME_COLUMNS // 2 - (320 - patch.shape[1]) // 2
    out = np.full((patch.shape[0], NAME_COLUMNS), -1, patch.dtype)
    for x in range(max(0, -left), min(NAME_COLUMNS, patch.shape[1] - left)):
        out[:, x] = patch[:, left + x]
    return out


def main():
    wad = Wad(sys.argv[1])
    palette = wad.palettes()[0]

    def write(name, patch, zoom=1):
        rgb = palette[np.maximum(patch, 0)]
        picture = np.dstack([rgb[..., ::-1], np.where(patch >= 0, 255, 0)]).astype(np.uint8)
        # A pixel of the game is 3 × 3.6 pixels of the screen.
        size = (3 * patch.shape[1], round(3.6 * patch.shape[0]))
        sized = cv2.resize(picture, size, interpolation=cv2.INTER_NEAREST)
        if zoom < 1:
            sized = cv2.resize(sized, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA)
        cv2.imwrite(os.path.join(sys.argv[2], name + ".png"), sized, (cv2.IMWRITE_PNG_COMPRESSION, 9))

    if sys.argv[3:] == ["levels"]:
        for lump in wad.lumps:
            if name := level_of(lump):
                write(name, middle(wad.patch(lump)), 0.5)
        return
    bar = wad.patch("STBAR")
    for row, colour in enumerate(COLOURS):
        y = BOX_Y + 10 * row
        for kind, lump in (("none", None), ("keycard", row), ("skull-key", row + 3)):
            box = bar[y : y + BOX_HEIGHT, BOX_X : BOX_X + BOX_WIDTH].copy()
            if lump is not None:
                key = wad.patch(f"STKEYS{lump}")
                place = box[1 : 1 + key.shape[0], 1 : 1 + key.shape[1]]
                place[:] = np.where(key >= 0, key, place)
            write(f"{colour}-{kind}", box)
    background = bar.copy()
    arms = wad.patch("STARMS")
    background[0 : arms.shape[0], 104 : 104 + arms.shape[1]] = arms
    for slot in range(3, 8):
        x, y = ARMS_X + 12 * ((slot - 2) % 3), ARMS_Y + 10 * ((slot - 2) // 3)
        for kind, lump in (("none", "STGNUM"), ("owned", "STYSNUM")):
            box = background[y : y + ARMS_HEIGHT, x : x + ARMS_WIDTH].copy()
            digit = wad.patch(f"{lump}{slot}")
            place = box[2 : 2 + digit.shape[0], 3 : 3 + digit.shape[1]]
            place[:] = np.where(digit >= 0, digit, place)
            write(f"arms-{slot}-{kind}", box)
    for name, (x, y, width, height) in LABELS.items():
        write(name, bar[y : y + height, x : x + width])
    write("tally", wad.patch("WIOSTK"))
    write("entering", wad.patch("WIENTER"))


main()
