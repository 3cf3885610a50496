#!/usr/bin/env python3
"""Makes a font of the status bar's big figures in other colours than red, as Crispy Doom and others draw them, for `variants` of a text detector:

    doom_font.py GAME.wad OUT.json NAME CHANNEL COLOUR…

CHANNEL: luma, red, green or blue. COLOUR: what the red shades become, as pairs of palette indices ("45:124,178:115,189:124"), those between by
interpolation. Several colours make one font of their mean, if the channel shows them alike: how they differ counts as deviation.
"""
import base64
import json
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from doom_truth import Wad

WEIGHTS = {"luma": (0.2126, 0.7152, 0.0722), "red": (1, 0, 0), "green": (0, 1, 0), "blue": (0, 0, 1)}
# Right edges of the figures of ammunition, health and armor on the bar, and its row.
PLACES, ROW, PITCH, HEIGHT = (44, 90, 221), 3, 13, 16
NOISE, JITTER = 9, 0.25


def recoloured(patch, colour):
    pairs = sorted(tuple(map(int, pair.split(":"))) for pair in colour.split(","))
    shades = np.round(np.interp(np.arange(256), *zip(*pairs))).astype(int)
    changed = {a: b for a, b in pairs}
    # Colours apart from the figures' own shades (their shadow) stay.
    reds = [a for a in range(176, 192)]
    return np.where(np.isin(patch, reds), shades[np.maximum(patch, 0)], np.vectorize(lambda i: changed.get(i, i))(patch))


def main():
    wad = Wad(sys.argv[1])
    out, name, channel, colours = sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:]
    palette = np.frombuffer(wad.lump("PLAYPAL"), np.uint8).reshape(14, 256, 3)[0].astype(float)
    levels = palette @ np.array(WEIGHTS[channel])
    bar = wad.patch("STBAR")
    glyphs = []
    for char in " 0123456789":
        pictures = []
        for colour in colours:
            for right in PLACES:
                for place in range(3):
                    left = right - PITCH * (place + 1)
                    if left < 0:
                        continue
                    box = bar[ROW : ROW + HEIGHT, left : left + PITCH].copy()
                    if char != " ":
                        digit = recoloured(wad.patch("STTNUM" + char), colour)
                        box = np.where(digit >= 0, digit, box)
                    pictures.append(levels[box])
        mean, spread = np.mean(pictures, 0), np.var(pictures, 0)
        padded = np.pad(mean, 1, "edge")
        slope = np.hypot(padded[1:-1, 2:] - padded[1:-1, :-2], padded[2:, 1:-1] - padded[:-2, 1:-1]) / 2
        sigma = np.minimum(254, np.sqrt(NOISE**2 + spread + (JITTER * slope) ** 2))
        encode = lambda a: base64.b64encode(np.round(a).astype(np.uint8).tobytes()).decode()
        glyphs.append({"char": char, "width": PITCH, "level": encode(mean), "sigma": encode(sigma)})
    everything = np.concatenate([np.frombuffer(base64.b64decode(g["level"]), np.uint8) for g in glyphs]).astype(float)
    atlas = {"format": "playbyplay/atlas/1", "name": name, "channel": channel, "pixels": {"x": 0.333333333, "y": 0.277777778}, "height": HEIGHT}
    atlas |= {"illumination": {"gain": 0.2, "offset": 15}, "layout": "fixed", "pitch": PITCH, "background": max(10.0, everything.std())}
    atlas |= {"source": "Freedoom's graphics (BSD licence)", "glyphs": glyphs}
    with open(out, "w") as file:
        file.write(json.dumps(atlas, separators=(",", ":"), ensure_ascii=False))


main()
