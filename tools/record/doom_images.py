#!/usr/bin/env python3
"""Writes the characters of a WAD's font as pictures, a pixel of the game a pixel, transparent where the font is, for `profile glyphs --images`:

    doom_images.py GAME.wad LUMPS FOLDER CHARACTERS [white|CRGOLD]

LUMPS names the graphics: %s stands for the character (STTNUM%s, STYSNUM%s), %03d for its code (DIG%03d, of dsda-doom.wad). With `white` the
ink is made as bright as it goes, for a font that is drawn in several colours (`--inks`); CRGOLD and the like is one of dsda-doom.wad's ranges of
colours, in which the game draws its font. Palette: that of the WAD, or of freedoom2.wad.
"""
import os
import sys

import cv2
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from doom_truth import ENGINE, Wad

NAMED = {"%": "STTPRCNT", "-": "STTMINUS"}


def main():
    wad, lumps, folder, characters = Wad(sys.argv[1]), *sys.argv[2:5]
    palette = (wad if "PLAYPAL" in wad.lumps else Wad("/usr/share/games/doom/freedoom2.wad")).palettes()[0]
    shades = np.frombuffer(Wad(ENGINE).lump(sys.argv[5]), np.uint8) if sys.argv[5:] not in ([], ["white"]) else np.arange(256)
    os.makedirs(folder, exist_ok=True)
    for char in characters:
        lump = lumps % ord(char) if "d" in lumps else NAMED.get(char, lumps % char)
        patch = wad.patch(lump)
        rgb = palette[shades[np.maximum(patch, 0)]].astype(np.uint8)
        if sys.argv[5:] == ["white"]:
            light = rgb.max(-1).astype(float)
            rgb = np.repeat((light * 255 / light.max()).astype(np.uint8)[..., None], 3, -1)
        picture = np.dstack([rgb[..., ::-1], np.where(patch >= 0, 255, 0).astype(np.uint8)])
        cv2.imwrite(os.path.join(folder, f"u{ord(char):04x}.png"), picture)


main()
