#!/usr/bin/env python3
"""Plays NetHack by chance in the terminal that it is started in, and writes down what the terminal shows.

    nethack_play.py LOG.ndjson SECONDS SEED [KEYS_A_SECOND=3]

Run by nethack.sh within xterm. The game runs in a pseudo terminal of its own: what it prints is passed on, and understood by pyte (Debian's
python3-pyte); whenever the top line or one of the two status lines changes, LOG gets {"at", "top", "status"}: the clock's time in
seconds and the lines as characters. In the game's debug mode a monster is made now and then, so that something happens.
"""
import fcntl
import json
import os
import pty
import random
import select
import struct
import sys
import termios
import time

import pyte

MONSTERS = ["newt", "jackal", "gnome", "sewer rat", "kobold", "grid bug", "goblin", "hill orc", "giant rat", "fox", "iguana", "acid blob", "jackal", "hill orc", "giant beetle", "dwarf", "imp", "rothe", "floating eye", "gold golem"]
DIRECTIONS = {(-1, -1): "y", (0, -1): "k", (1, -1): "u", (-1, 0): "h", (1, 0): "l", (-1, 1): "b", (0, 1): "j", (1, 1): "n"}


def choose(screen, chance, count):
    """The next keys: answer what is asked, fight who stands beside, else walk, search, pick up, go down."""
    lines = screen.display
    text = "\n".join(lines)
    top = lines[0]
    if "--More--" in text or "(end)" in text or "Return to" in text:
        return "\r"
    if "[yn" in top or "[ynq" in top:
        return "n" if any(word in top for word in ("attack", "eat", "Die")) else "y"
    if top.rstrip().endswith("]") or "what" in top.lower() and "?" in top:
        return "\x1b"
    x, y = screen.cursor.x, screen.cursor.y
    if any(word in top for word in ("harmless", "thin air", "statue", "boulder", "wall")):
        return chance.choice("HJKLYUBN")
    for (dx, dy), key in DIRECTIONS.items():
        if 1 <= y + dy <= 21 and 0 <= x + dx < 80 and lines[y + dy][x + dx].isalpha():
            return "F" + key
    if count % 14 == 13:
        return "\x07" + chance.choice(MONSTERS) + "\r"
    if count % 40 == 39:
        return ">"
    if count % 45 == 44:
        return ","
    if count % 97 == 96:
        return "\x16" + str(chance.randrange(2, 7)) + "\r"  # to another level
    key = chance.choice("hjklyubn")
    return key.upper() if chance.random() < 0.6 else "s" if chance.random() < 0.2 else key


def main():
    log, seconds, seed = open(sys.argv[1], "w"), float(sys.argv[2]), int(sys.argv[3])
    rate = float(sys.argv[4]) if len(sys.argv) > 4 else 3
    chance = random.Random(seed)
    pid, game = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm"
        os.execvp("nethack", ["nethack", "-D", "-u", "Rolf"])
    fcntl.ioctl(game, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    screen = pyte.Screen(80, 24)
    stream = pyte.ByteStream(screen)
    begun, due, count, last = time.time(), time.time() + 2, 0, None
    while time.time() < begun + seconds:
        ready, _, _ = select.select([game], [], [], 0.02)
        if ready:
            try:
                data = os.read(game, 65536)
            except OSError:
                break
            os.write(1, data)
            stream.feed(data)
            continue  # the screen is looked at when nothing more comes
        now = {"top": screen.display[0].rstrip(), "status": [line.rstrip() for line in screen.display[22:24]]}
        if now != last:
            log.write(json.dumps({"at": round(time.time(), 3), **now}) + "\n")
            log.flush()
            last = now
        if time.time() >= due:
            count += 1
            due = time.time() + chance.uniform(0.6, 1.4) / rate
            os.write(game, choose(screen, chance, count).encode())
    log.write(json.dumps({"at": round(time.time(), 3), "top": None, "status": []}) + "\n")
    os.kill(pid, 9)


main()
