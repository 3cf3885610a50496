#!/usr/bin/env python3
"""Writes two levels and a demo for measuring keys and level ends: a corridor of keys with an exit at its end, twice.

    keys_level.py OUT.wad OUT.lmp [EPISODE=1 [MAP=1]]

The levels take the places of two of an episode from MAP on (EPISODE 0: of Doom II, where text follows MAP 6). The first holds keycards, the second skull
keys; the floor hurts, so the screen turns red now and then, and the walk ends with a death in the second level and its start anew.
Graphics are the game's. A level is one convex room, which needs no node tree.
"""
import struct
import sys

USE = 2
WEST, EAST, HALF = -1024, 1024, 128
BLUE_CARD, YELLOW_CARD, RED_CARD, RED_SKULL, YELLOW_SKULL, BLUE_SKULL, MEDIKIT, SHELLS = 5, 6, 13, 38, 39, 40, 2012, 2008
EXIT_WALK, DAMAGE_FLOOR = 52, 7


def name(text):
    return text.encode().ljust(8, b"\0")


def level(label, things, wall, floor):
    corners = [(WEST, -HALF), (WEST, HALF), (EAST, HALF), (EAST, -HALF)]  # clockwise: the room lies right of each line
    door = [(EAST - 128, -HALF), (EAST - 128, HALF)]
    vertexes = b"".join(struct.pack("<hh", *v) for v in corners + door)
    lines = b"".join(struct.pack("<HHHHHHH", i, (i + 1) % 4, 1, 0, 0, i, 0xFFFF) for i in range(4))
    lines += struct.pack("<HHHHHHH", 4, 5, 4, EXIT_WALK, 0, 4, 5)
    plain = struct.pack("<hh8s8s8sh", 0, 0, name("-"), name("-"), name(wall), 0)
    bare = struct.pack("<hh8s8s8sh", 0, 0, name("-"), name("-"), name("-"), 0)
    angles = (0x4000, 0, 0xC000, 0x8000)
    segs = b"".join(struct.pack("<HHHHHH", i, (i + 1) % 4, angles[i], i, 0, 0) for i in range(4))
    start = (WEST + 64, 0, 0, 1, 7)
    lumps = [
        ("THINGS", b"".join(struct.pack("<hhhhh", *t) for t in [start] + [(x, 0, 0, kind, 7) for x, kind in things])),
        ("LINEDEFS", lines),
        ("SIDEDEFS", plain * 4 + bare * 2),
        ("VERTEXES", vertexes),
        ("SEGS", segs),
        ("SSECTORS", struct.pack("<HH", 4, 0)),
        ("NODES", b""),
        ("SECTORS", struct.pack("<hh8s8shhh", 0, 192, name(floor), name("CEIL5_1"), 176, DAMAGE_FLOOR, 0)),
        ("REJECT", b"\0"),
        ("BLOCKMAP", b""),
    ]
    return [(label, b"")] + lumps


def write_wad(path, lumps):
    body, directory = b"", b""
    for label, data in lumps:
        directory += struct.pack("<ii8s", 12 + len(body), len(data), name(label))
        body += data
    with open(path, "wb") as file:
        file.write(struct.pack("<4sii", b"PWAD", len(lumps), 12 + len(body)) + body + directory)


def tic(forward=0, buttons=0):
    return bytes((forward, 0, 0, buttons))


def main():
    episode = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    labels = [f"MAP{n:02}" if episode == 0 else f"E{episode}M{n}" for n in (first, first + 1)]
    cards = [(-700, BLUE_CARD), (-400, SHELLS), (-200, RED_CARD), (200, MEDIKIT), (400, YELLOW_CARD)]
    skulls = [(-860, YELLOW_SKULL), (-740, BLUE_SKULL), (-560, RED_SKULL), (0, MEDIKIT)]
    write_wad(sys.argv[1], level(labels[0], cards, "STARTAN3", "NUKAGE1") + level(labels[1], skulls, "GRAY1", "FLOOR4_8"))
    walk = tic() * 35 + tic(10) * 590  # to the exit; what is left of it passes in the intermission
    tally = tic() * 100 + tic(0, USE) + tic() * 35 + tic(0, USE) + tic() * 70 + tic(0, USE) + tic() * 70
    tics = (walk + tally) * 2 + tic() * 105
    # version, skill, episode, map, deathmatch, respawn, fast, nomonsters, console player, players 1 to 4
    header = bytes((109, 2, max(1, episode), first, 0, 0, 0, 0, 0, 1, 0, 0, 0))
    with open(sys.argv[2], "wb") as file:
        file.write(header + tics + b"\x80")


if __name__ == "__main__":
    main()
