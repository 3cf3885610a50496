#!/usr/bin/env python3
"""Truth of a Doom recording: reads the status bar and the message line of a lossless capture by exact comparison with
the WAD's own patches in all 14 palettes.

    doom_truth.py CAPTURE.mkv GAME.wad truth.json [FPS=35]
    … raw RGB frames … | doom_truth.py WIDTHxHEIGHT GAME.wad truth.json [FPS=35]
    … the game's own screens (sdl_doom.c) … | doom_truth.py screen GAME.wad truth.json [FPS=35]

The capture must be lossless RGB (freedoom.sh pipes it); any resolution and aspect ratio of a software-rendered
dsda-doom with its status bar at the bottom. Every comparison is exact: a figure that does not match is null, never a guess.
"""
import itertools
import json
import os
import re
import struct
import subprocess
import sys

import numpy as np

FPS = 35
ENGINE = "/usr/share/dsda-doom/dsda-doom.wad"  # holds the gamma tables


class Wad:
    def __init__(self, path):
        self.data = open(path, "rb").read()
        count, directory = struct.unpack_from("<ii", self.data, 4)
        self.lumps = {}
        for i in range(count):
            at, size, name = struct.unpack_from("<ii8s", self.data, directory + 16 * i)
            self.lumps[name.rstrip(b"\0").decode("latin-1").upper()] = (at, size)

    def lump(self, name):
        at, size = self.lumps[name]
        return self.data[at : at + size]

    def patch(self, name):
        """Palette indices, rows by columns; -1 where transparent."""
        data = self.lump(name)
        width, height = struct.unpack_from("<hh", data)
        out = np.full((height, width), -1, np.int16)
        for x in range(width):
            at = struct.unpack_from("<I", data, 8 + 4 * x)[0]
            while data[at] != 255:
                top, length = data[at], data[at + 1]
                column = np.frombuffer(data[at + 3 : at + 3 + length], np.uint8)
                out[top : top + length, x] = column[: max(0, height - top)]
                at += length + 4
        return out

    def palettes(self):
        """As shown: the engine's gamma table for "no correction" lifts the darker half by one; the 14 palettes of each level of gamma follow."""
        stored = np.frombuffer(self.lump("PLAYPAL"), np.uint8).reshape(14, 256, 3).astype(np.int32)
        if not os.path.exists(ENGINE):
            return stored + (stored < 128)
        levels = np.frombuffer(Wad(ENGINE).lump("GAMMATBL"), np.uint8).reshape(5, 256).astype(np.int32)
        return np.concatenate([level[stored] for level in levels])


def codes(rgb):
    """One number a colour. The game's own screen has its palette's."""
    if rgb.dtype == np.int16:
        return rgb.astype(np.int32)
    return (rgb[..., 0].astype(np.int32) << 16) | (rgb[..., 1].astype(np.int32) << 8) | rgb[..., 2]


class Glyph:
    def __init__(self, name, patch):
        self.name, self.width = name, patch.shape[1]
        self.rows, self.columns = np.nonzero(patch >= 0)
        self.index = patch[self.rows, self.columns]

    def __len__(self):
        return len(self.index)


class Reader:
    def __init__(self, wad, width, height, indexed=False):
        self.last_bar = self.last_row = self.shown = None
        self.indexed = indexed
        self.colours = np.arange(256)[None] if indexed else codes(wad.palettes())
        self.lists = self.colours.tolist()
        # On a picture narrower than 4:3 graphics are as large as on one of its width; the bar keeps to the bottom.
        self.sx = min(height * 4 / 3, width) / 320
        self.sy = self.sx * 1.2
        if indexed:
            self.sx = self.sy = height / 200
        self.below = height - 200 * self.sy
        self.left = (width - 320 * self.sx) / 2
        self.width, self.height = width, height
        glyphs = lambda pattern, keys: [Glyph(key, wad.patch(pattern % key)) for key in keys]
        self.big = glyphs("STTNUM%d", range(10))
        self.small = glyphs("STYSNUM%d", range(10))
        self.minus = [Glyph("-", wad.patch("STTMINUS"))]
        self.keys = glyphs("STKEYS%d", range(6))
        self.owned = {slot: Glyph(slot, wad.patch("STYSNUM%d" % slot)) for slot in range(2, 8)}
        self.missing = {slot: Glyph(slot, wad.patch("STGNUM%d" % slot)) for slot in range(2, 8)}
        self.font = [Glyph(chr(n), wad.patch("STCFN%03d" % n)) for n in range(33, 96) if "STCFN%03d" % n in wad.lumps]
        for glyph in [] if indexed else self.font:  # drawn through the engine's translation to red
            glyph.index = np.where(glyph.index == 45, 191, glyph.index)
        self.font.sort(key=len, reverse=True)
        for glyph in self.font:
            glyph.cells = list(zip(glyph.rows.tolist(), glyph.columns.tolist(), glyph.index.tolist()))
        self.line_rows = np.floor((np.arange(8) + 0.5) * self.sy).astype(int)
        columns = np.floor((np.arange(320) + 0.5) * self.sx).astype(int)
        self.line_columns = columns[columns < width]
        for group in (self.big, self.small, self.keys):
            group.sort(key=len, reverse=True)
        numbers = [("WILV%d%d" % (e, m), "E%dM%d" % (e + 1, m + 1)) for e in range(4) for m in range(9)] + [("CWILV%02d" % m, "MAP%02d" % (m + 1)) for m in range(32)]
        self.levels = [Glyph(name, wad.patch(lump)) for lump, name in numbers if lump in wad.lumps]
        self.headings = {"finished": Glyph("finished", wad.patch("WIF")), "entering": Glyph("entering", wad.patch("WIENTER"))}
        bar = wad.patch("STBAR")
        # Parts of the bar on which nothing is ever drawn.
        area = np.zeros(bar.shape, bool)
        area[23:32, 0:100] = area[23:32, 180:236] = True
        self.rows, self.columns = np.nonzero(area & (bar >= 0))
        self.bar = bar[self.rows, self.columns]

    def cells(self, frame, x, y, rows, columns, left):
        """Colours of the screen at the centres of a patch's pixels, the patch being drawn at (x, y) of 320 × 200."""
        xs = np.floor(left + (x + columns + 0.5) * self.sx).astype(int)
        ys = np.floor((y + rows + 0.5) * self.sy + (self.below if y >= 160 else self.below / 2)).astype(int)
        inside = (xs >= 0) & (xs < self.width) & (ys >= 0) & (ys < self.height)
        out = np.full(len(xs), -1, np.int32)
        out[inside] = codes(frame[ys[inside], xs[inside]])
        return out

    def palette(self, frame):
        seen = self.cells(frame, 0, 168, self.rows, self.columns, self.left)
        fits = lambda p: np.mean(seen == self.colours[p][self.bar])
        if self.shown is not None and self.shown >= 14 and fits(self.shown) > 0.995:
            return self.shown
        score, p = max((fits(p), -p) for p in range(min(14, len(self.colours))))
        if score <= 0.995 and len(self.colours) > 14:
            score, p = max((fits(p), -p) for p in range(14, len(self.colours)))
        self.shown = -p if score > 0.995 else None
        return self.shown

    def match(self, frame, group, x, y, colours, left):
        for glyph in group:
            seen = self.cells(frame, x, y, glyph.rows, glyph.columns, left)
            if np.array_equal(seen, colours[glyph.index]):
                return glyph
        return None

    def number(self, frame, group, right, y, colours, places=3):
        text, width = "", group[0].width
        for place in range(places):
            glyph = self.match(frame, group, right - width * (place + 1), y, colours, self.left)
            if glyph is None:
                break
            text = str(glyph.name) + text
        return int(text) if text else None

    def frags(self, frame, colours):
        """Of a deathmatch, in the place of the weapons; two figures, or one behind a minus. Null elsewhere."""
        value = self.number(frame, self.big, 138, 171, colours, 2)
        if value is None or value > 9:
            return value
        minus = self.match(frame, self.minus, 138 - 2 * self.big[0].width - 4, 171, colours, self.left)
        return -value if minus else value

    def arm(self, frame, slot, colours):
        """The number of a weapon slot if it is owned, -number if it is not, None where neither stands there."""
        x, y = 111 + 12 * ((slot - 2) % 3), 172 + 10 * ((slot - 2) // 3)
        if self.match(frame, [self.owned[slot]], x, y, colours, self.left):
            return slot
        return -slot if self.match(frame, [self.missing[slot]], x, y, colours, self.left) else None

    def message(self, frame, colours):
        """The line in the top left corner, which is drawn in the same 320 × 200 raster from the left edge."""
        line = codes(frame[self.line_rows[:, None], self.line_columns]).tolist()
        text, gap, x = "", 0, 0
        while x < 320 and gap < 4:
            glyph = next((g for g in self.font if self.stands(line, g, x, colours)), None)
            if glyph is None:
                text, gap, x = text + " ", gap + 1, x + 4
            else:
                text, gap, x = text + glyph.name, 0, x + glyph.width
        return text.strip()

    @staticmethod
    def stands(line, glyph, x, colours):
        if x + glyph.width > len(line[0]):
            return False
        return all(line[y][x + c] == colours[i] for y, c, i in glyph.cells)

    def centre(self, frame, colours):
        """A line in the middle of the screen (a secret revealed): its text, or ''."""
        wanted = "A SECRET IS REVEALED!"
        glyphs = {glyph.name: glyph for glyph in self.font}
        middle = 160 - sum(4 if c == " " else glyphs[c].width for c in wanted) // 2
        # Where the length is odd ports differ by a column.
        for y, x in itertools.product(range(70, 90), (middle, middle - 1)):
            for colour in self.centre_colours(frame, glyphs["A"], x, y, colours):
                if all(self.has(frame, glyphs, c, at, y, colour) for c, at in self.places(wanted, glyphs, x)):
                    return wanted
        return ""

    def places(self, text, glyphs, x):
        for c in text:
            if c != " ":
                yield c, x
            x += 4 if c == " " else glyphs[c].width

    def centre_colours(self, frame, glyph, x, y, colours):
        """The font may be drawn in another range of the palette: the index of one glyph's pixels by what stands there."""
        seen = self.cells(frame, x, y, glyph.rows, glyph.columns, self.left)
        known = set(colours.tolist())
        colour = dict(zip(glyph.index.tolist(), seen.tolist()))
        # Two shades may become one, but not all of them.
        same = all(colour[i] == c for i, c in zip(glyph.index.tolist(), seen.tolist()))
        if same and len(set(colour.values())) > 3 and known.issuperset(colour.values()):
            yield colour

    def has(self, frame, glyphs, c, x, y, colour):
        glyph = glyphs[c]
        seen = self.cells(frame, x, y, glyph.rows, glyph.columns, self.left)
        wanted = [colour.get(int(i)) for i in glyph.index]
        same = [a == b for a, b in zip(seen.tolist(), wanted) if b is not None]
        return len(same) >= 0.6 * len(wanted) and all(same)

    def level(self, frame):
        """Between levels: whether the screen says that one is finished or entered, and which, by the pictures of the levels' names."""
        for what, place, beside in (("finished", 20, 2), ("entering", 2, 20)):
            heading = self.headings[what]
            for colours in self.colours if self.indexed else self.colours[::14]:
                if self.match(frame, [heading], (320 - heading.width) // 2, place, colours, self.left) is None:
                    continue
                for name in self.levels:
                    if self.match(frame, [name], (320 - name.width) // 2, beside, colours, self.left):
                        return [what, name.name]
        return None

    def read(self, frame):
        bar = frame[int(168 * self.sy + self.below) :, int(max(0, self.left)) : int(self.left + 320 * self.sx)].tobytes()
        if bar != self.last_bar:
            self.last_bar, self.last_row = bar, self.read_bar(frame)
        row = dict(self.last_row)
        # Without a status bar (melt, intermission) the palette is not known, and nothing is drawn in the corner.
        colours = None if row["palette"] is None else self.colours[row["palette"]]
        row["message"] = "" if colours is None else self.message(frame, self.lists[row["palette"]])
        row["centre"] = "" if colours is None else self.centre(frame, colours)
        row["level"] = self.level(frame) if colours is None else None
        if row["palette"] is not None and row["palette"] >= 14:
            row["gamma"], row["palette"] = divmod(row["palette"], 14)
        return row

    def read_bar(self, frame):
        palette = self.palette(frame)
        row = {"hud": palette is not None, "health": None, "armor": None, "ammo": None}
        if palette is not None:
            colours = self.colours[palette]
            for name, right in (("health", 90), ("armor", 221), ("ammo", 44)):
                row[name] = self.number(frame, self.big, right, 171, colours)
            ys = (173, 179, 185, 191)
            row["ammo_table"] = [self.number(frame, self.small, 288, y, colours) for y in ys]
            row["ammo_max"] = [self.number(frame, self.small, 314, y, colours) for y in ys]
            names = ("blue card", "yellow card", "red card", "blue skull", "yellow skull", "red skull")
            found = [self.match(frame, self.keys, 239, y, colours, self.left) for y in (171, 181, 191)]
            row["keys"] = [names[key.name] for key in found if key]
            row["frags"] = self.frags(frame, colours)
            row["arms"] = [self.arm(frame, slot, colours) for slot in range(2, 8)]
        row["palette"] = palette
        return row


def raw_frames(stream, width, height):
    while len(data := stream.read(width * height * 3)) == width * height * 3:
        yield np.frombuffer(data, np.uint8).reshape(height, width, 3)


def screens(stream):
    """The game's own screens, each behind its size."""
    while line := stream.readline():
        width, height = map(int, line.split())
        data = stream.read(width * height)
        if len(data) < width * height:
            return
        yield np.frombuffer(data, np.uint8).reshape(height, width).astype(np.int16)


def frames(path):
    if path == "screen":
        yield from screens(sys.stdin.buffer)
        return
    size = re.fullmatch(r"(\d+)x(\d+)", path)
    if size:
        yield from raw_frames(sys.stdin.buffer, int(size[1]), int(size[2]))
        return
    probe = ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=width,height", "-of", "csv=p=0", path]
    width, height = map(int, subprocess.run(probe, capture_output=True, text=True, check=True).stdout.strip().strip(",").split(","))
    command = ["ffmpeg", "-v", "error", "-threads", "1", "-i", path, "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=width * height * 3) as process:
        yield from raw_frames(process.stdout, width, height)


def main():
    global FPS
    capture, wad, out = sys.argv[1:4]
    FPS = int(sys.argv[4]) if len(sys.argv) > 4 else FPS
    reader, series, last, count, without, tints, centre = None, [], None, 0, 0, {}, []
    for i, frame in enumerate(frames(capture)):
        reader = reader or Reader(Wad(wad), frame.shape[1], frame.shape[0], capture == "screen")
        row = reader.read(frame)
        text = row.pop("centre")
        if text and not (centre and centre[-1]["end"] == i - 1):
            centre.append({"frame": i, "t": round(i / FPS, 4), "end": i, "text": text})
        elif text:
            centre[-1]["end"] = i
        count, without = i + 1, without + (not row["hud"])
        if row["palette"] is not None:
            tints[row["palette"]] = tints.get(row["palette"], 0) + 1
        if row != last:
            series.append({"frame": i, "t": round(i / FPS, 4), **row})
            last = row
    note = (
        "series holds a row for each frame at which any value differs from the frame before; palette 0 normal, 1-8 red (damage), "
        "9-12 gold (pick-up), 13 green (suit); message is as drawn (the font has capitals only); ammo null = weapon without ammo; "
        "ammo_table rows bullets, shells, rockets, cells (as drawn top to bottom); arms: weapon slots 2 to 7, negative where not owned; frags null but in a deathmatch; "
        "level: the screen between levels, which is finished or entered"
    )
    with open(out, "w") as file:
        head = {"fps": FPS, "frames": count, "width": reader.width, "height": reader.height, "frames_without_status_bar": without}
        head.update({"palette_frames": tints, "note": note, "centre_text": centre})
        file.write(json.dumps(head)[:-1] + ',\n"series": [\n')
        file.write(",\n".join(json.dumps(row) for row in series) + "\n]}\n")


if __name__ == "__main__":
    main()
