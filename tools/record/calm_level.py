#!/usr/bin/env python3
"""Writes a level of rooms in a row and a demo that explores them calmly: looking around, walking, a pick-up here, shots and wounds there.

    calm_level.py OUT.wad OUT.lmp [SECONDS=640 [SEED=1]]

For measuring the adaptive plan on a long recording as people make them: most of the time nothing on the status bar changes, and now and then something does.
There are no monsters, as one that is missed would end the walk: wounds come from narrow rooms with a floor that hurts. The level takes E1M1's place, graphics are the game's. Every room is a rectangle with a gap to the next, so the node tree is a chain.
The walk is reckoned from the game's own laws of motion and set right at walls: what pushes the player is no matter.
"""
import random
import struct
import sys

from keys_level import name, write_wad

ROOM, BURN, HALF, GAP = 768, 192, 384, 64
FIRE, USE = 1, 2
RADIUS = 16
SOUND_BLOCK, TWO_SIDED, SOLID = 64, 4, 1
HURTS = 7
PICK_UPS = [2012, 2007, 2014, 2015, 2008, 2011, 2018, 2001, 2048, 2049, 8]
SCENERY = [2028, 30, 31, 48, 2035, 35, 34, 43]
WALLS = ["STARTAN3", "BROWN1", "GRAY1", "STONE2", "BROWNGRN", "STARGR1", "BROWN96", "COMPTALL", "TEKWALL1", "SLADWALL"]
FLOORS = ["FLOOR4_8", "NUKAGE1", "FLAT14", "FLOOR0_1", "FWATER1", "FLOOR5_1", "FLAT1", "MFLR8_1"]
CEILINGS = ["CEIL3_5", "F_SKY1", "CEIL5_1", "TLITE6_4"]
LIGHTS = [0, 0, 1, 8, 0, 12, 0, 0]


def build(rooms, chance):
    """The level's lumps; `rooms`: whether the floor of each hurts."""
    things = [(RADIUS + 48, 0, 0, 1, 7)]
    at = 0
    places = []
    for r, burns in enumerate(rooms):
        west, at = at, at + (BURN if burns else ROOM)
        places.append((west, at))
        if burns:
            continue
        # One thing to pick up at the northern wall, on the way of the walk.
        things.append((at - 200, HALF - RADIUS - 4, 0, PICK_UPS[r % len(PICK_UPS)], 7))
        for _ in range(5):
            things.append((west + chance.randrange(80, ROOM - 80), -chance.randrange(120, HALF - 40), 0, chance.choice(SCENERY), 7))
    corners, lines, sides, sectors, segs, subsectors = [], [], [], [], [], []

    def line(a, b, flags, front, back, upper, middle):
        corners.extend((a, b))
        sides.append((upper, middle, front))
        if back is not None:
            sides.append((upper, "-", back))
        lines.append((len(corners) - 2, len(corners) - 1, flags, len(sides) - (1 if back is None else 2), 0xFFFF if back is None else len(sides) - 1))
        return len(lines) - 1

    def seg(number, side):
        a, b = lines[number][0], lines[number][1]
        a, b = (a, b) if side == 0 else (b, a)
        (x, y), (u, v) = corners[a], corners[b]
        angle = (0x4000 if v > y else 0xC000) if x == u else (0 if u > x else 0x8000)
        segs.append((a, b, angle, number, side, 0))

    portal = None
    for r, burns in enumerate(rooms):
        first, (west, east) = len(segs), places[r]
        wall = WALLS[r % len(WALLS)]
        sectors.append((0, 160 + 32 * (r % 3), FLOORS[r % len(FLOORS)], CEILINGS[r % len(CEILINGS)], 144 + 16 * (r % 5), HURTS if burns else LIGHTS[r % len(LIGHTS)]))
        solid = lambda a, b: seg(line(a, b, SOLID, r, None, "-", wall), 0)
        if portal is None:
            solid((west, -HALF), (west, HALF))
        else:
            solid((west, -HALF), (west, -GAP))
            seg(portal, 1)
            solid((west, GAP), (west, HALF))
        solid((west, HALF), (east, HALF))
        if r == len(rooms) - 1:
            solid((east, HALF), (east, -HALF))
        else:
            solid((east, HALF), (east, GAP))
            portal = line((east, GAP), (east, -GAP), TWO_SIDED | SOUND_BLOCK, r, r + 1, wall, "-")
            seg(portal, 0)
            solid((east, -GAP), (east, -HALF))
        solid((east, -HALF), (west, -HALF))
        subsectors.append((len(segs) - first, first))
    nodes = []
    for r in reversed(range(len(rooms) - 1)):  # the last one is the root: west of it the first room, east of it all others
        (west, x), end = places[r], at
        rest = 0x8000 | (r + 1) if r == len(rooms) - 2 else len(nodes) - 1
        nodes.append(struct.pack("<hhhh", x, 0, 0, 64) + struct.pack("<4h4h", HALF, -HALF, x, end, HALF, -HALF, west, x) + struct.pack("<HH", rest, 0x8000 | r))
    pack = lambda form, rows: b"".join(struct.pack(form, *row) for row in rows)
    lumps = [
        ("E1M1", b""),
        ("THINGS", pack("<hhhhh", things)),
        ("LINEDEFS", b"".join(struct.pack("<HHHHHHH", a, b, flags, 0, 0, front, back) for a, b, flags, front, back in lines)),
        ("SIDEDEFS", b"".join(struct.pack("<hh8s8s8sh", 0, 0, name(upper), name(upper), name(middle), sector) for upper, middle, sector in sides)),
        ("VERTEXES", pack("<hh", corners)),
        ("SEGS", pack("<HHHHHH", segs)),
        ("SSECTORS", pack("<HH", subsectors)),
        ("NODES", b"".join(nodes)),
        ("SECTORS", b"".join(struct.pack("<hh8s8shhh", low, high, name(floor), name(ceiling), light, special, 0) for low, high, floor, ceiling, light, special in sectors)),
        ("REJECT", b"\0"),
        ("BLOCKMAP", b""),
    ]
    return lumps


class Walk:
    """Makes tics; a player at heading 0 looks east, a quarter turn is 64."""

    def __init__(self):
        self.tics = []

    def tic(self, forward=0, turn=0, buttons=0):
        self.tics.append(bytes((forward & 255, 0, turn & 255, buttons)))

    def stand(self, tics):
        for _ in range(tics):
            self.tic()

    def turn(self, by, step=2):
        for _ in range(abs(by) // step):
            self.tic(turn=step if by > 0 else -step)

    def go(self, distance, speed=12):
        """So far ahead; into a wall, a little more than there is room for."""
        moved = momentum = 0.0
        while moved + momentum / (1 - 0.90625) < distance:
            momentum += speed * 2048 / 65536
            moved += momentum
            momentum *= 0.90625
            self.tic(speed)
        self.stand(40)

    def look(self, chance, seconds):
        """Around and back to the same heading."""
        until = len(self.tics) + seconds * 35
        while len(self.tics) < until:
            by, step = chance.choice((10, 16, 24, 40)) * 2, chance.choice((1, 1, 2))
            way = chance.choice((1, -1))
            self.turn(way * by, step)
            self.stand(chance.randrange(10, 70))
            self.turn(-way * by, step)
            self.stand(chance.randrange(5, 60))

    def fire(self, shots):
        for _ in range(shots):
            self.tic(buttons=FIRE)
            self.tic(buttons=FIRE)
            self.stand(16)


def main():
    seconds = int(sys.argv[3]) if len(sys.argv) > 3 else 640
    chance = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    rooms = [r % 3 == 2 for r in range(16)]
    write_wad(sys.argv[1], build(rooms, chance))
    walk = Walk()
    walk.stand(100)
    share = (seconds - 20) // rooms.count(False)
    for r, burns in enumerate(rooms):
        if burns:
            walk.go(BURN)
            continue
        begin = len(walk.tics)
        walk.go(ROOM / 2 - 100)
        if r % 3 == 1:
            walk.fire(chance.randrange(3, 8))
        walk.look(chance, 6)
        walk.turn(64)
        walk.go(HALF + 60)  # the northern wall sets y right
        walk.look(chance, 5)
        walk.turn(-64)
        walk.go(ROOM)  # along it past what lies there to the eastern one, which sets x right
        walk.look(chance, max(5, share - (len(walk.tics) - begin) // 35 - 9))
        if r % 4 == 2:
            walk.fire(1)
        walk.turn(-64)
        walk.go(HALF - RADIUS)
        walk.turn(64)
        walk.go(100 + RADIUS)
    walk.look(chance, max(1, seconds - len(walk.tics) // 35))
    # version, skill, episode, map, deathmatch, respawn, fast, nomonsters, console player, players 1 to 4
    header = bytes((109, 1, 1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0))
    with open(sys.argv[2], "wb") as file:
        file.write(header + b"".join(walk.tics) + b"\x80")


if __name__ == "__main__":
    main()
