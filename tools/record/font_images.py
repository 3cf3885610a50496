#!/usr/bin/env python3
"""font_images.py FONT.ttf SIZE FOLDER [CHARACTERS [TOP BOTTOM]]: one picture a character, for `playbyplay profile glyphs --images`.

White, opaque where ink is, as wide as the character's advance in whole pixels (as SDL_ttf and most games lay text out) and as high as the
line (or its rows TOP to BOTTOM), named by its code points (a letter and the marks that follow it are one character). Needs Pillow. Prints the space's width.
"""
import os, sys, unicodedata
from PIL import Image, ImageDraw, ImageFont

path, size, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
characters = sys.argv[4] if len(sys.argv) > 4 else ''.join(map(chr, range(33, 127)))
font = ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)
top, bottom = map(int, sys.argv[5:7]) if len(sys.argv) > 6 else (0, sum(font.getmetrics()))
os.makedirs(folder, exist_ok=True)
clusters = []
for c in characters:
    if clusters and unicodedata.combining(c):
        clusters[-1] += c
    else:
        clusters.append(c)
for c in clusters:
    ink = Image.new('L', (round(font.getlength(c)), bottom - top), 0)
    ImageDraw.Draw(ink).text((0, -top), c, 255, font=font)
    image = Image.merge('LA', (Image.new('L', ink.size, 255), ink))
    image.save(f"{folder}/u{'_'.join(f'{ord(one):04x}' for one in c)}.png")
print(round(font.getlength(' ')))
