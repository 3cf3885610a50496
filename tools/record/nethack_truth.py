#!/usr/bin/env python3
"""Truth of a recording of nethack.sh, as statements: nethack_truth.py FOLDER [FPS=15] > FOLDER/truth.ndjson

What the terminal showed is known as characters; a screen belongs to the first picture taken after it. What is replaced before a picture
was taken is on none and left out.
"""
import json
import math
import re
import subprocess
import sys

STATUS = re.compile(r"Dlvl:(\d+)\s+\$:(\d+)\s+HP:(\d+)\((\d+)\)\s+Pw:(\d+)\((\d+)\)\s+AC:(-?\d+)\s+Xp:(\d+)/(\d+)\s+T:(\d+)")
PROPERTIES = ["nethack:dungeon level", "gold", "health", "maximum health", "mana", None, "nethack:armor class", "character level", "experience", None]
OPPONENT = r"(?:the |an? )?(?:poor |invisible |saddled )?([a-z][a-z -]*?)"
MESSAGES = [
    (rf"^You (?:kill|destroy) {OPPONENT}!", lambda name: {"subject": "player", "action": "kill", "object": name}),
    (rf"^You (?:hit|bite) {OPPONENT}[.!]", lambda name: {"subject": "player", "action": "hit", "object": name}),
    (rf"^You miss {OPPONENT}[.!]", lambda name: {"subject": "player", "action": "miss", "object": name}),
    (rf"^The {OPPONENT} (?:just )?misses(?: you)?[.!]", lambda name: {"subject": name, "action": "miss", "object": "player"}),
    (rf"^The {OPPONENT} (?:hits|bites|butts|kicks|stings|claws|touches you)[.!]", lambda name: {"subject": name, "action": "hit", "object": "player"}),
    (r"^You die\.\.\.", lambda: {"subject": "player", "action": "die"}),
]


def told(top):
    """The statements of a line of messages: its sentences, two blanks apart."""
    for sentence in re.split(r"  +", top.replace("--More--", "")):
        for pattern, statement in MESSAGES:
            if match := re.match(pattern, sentence.strip()):
                yield statement(*({"word": "opponent", "name": name} for name in match.groups()))


def main():
    folder, fps = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 15
    rows = [json.loads(line) for line in open(f"{folder}/screen.ndjson")]
    frames = {}  # the last screen before each picture
    for row in rows:
        if row["top"] is not None:
            frames[max(0, math.ceil(row["t"] * fps - 1e-6))] = row
    probe = ["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "stream=nb_frames", "-of", "csv=p=0", f"{folder}/video.mp4"]
    count = int(subprocess.run(probe, capture_output=True, text=True, check=True).stdout.strip().strip(","))
    before, line, turn = None, None, None
    out = []
    for frame, row in sorted(frames.items()):
        if frame >= count:
            break
        t = round(frame / fps, 4)
        match = STATUS.search(" ".join(row["status"]))
        values = list(map(int, match.groups())) if match else None
        if values and before:
            for name, old, new in zip(PROPERTIES, before, values):
                if name and old != new and frame > 0:
                    out.append({"t": t, "statement": {"subject": "player", "property": name, "from": old, "to": new}})
        now = values[-1] if values else turn
        if (row["top"] != line or now != turn) and frame > 0:
            out += [{"t": t, "statement": statement} for statement in told(row["top"])]
        before, line, turn = values or before, row["top"], now
    for row in out:
        print(json.dumps(row))


main()
