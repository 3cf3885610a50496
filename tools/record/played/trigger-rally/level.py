#!/usr/bin/env python3
"""level.py LEVEL: a level of Trigger Rally with its ground made nearly even and its checkpoints put on a straight line."""
import math, re, sys

CHECKPOINTS = (60, 130, 210, 300, 400, 510, 630, 760, 900, 1050, 1210, 1380)  # metres from the start
level = open(sys.argv[1]).read()
level = re.sub(r'name="[^"]*"', 'name="A Plain"', level, count=1)
level = re.sub(r'verticalscale="[^"]*"', 'verticalscale="0.02"', level)
scale = float(re.search(r'<race coordscale="([\d.]+)', level)[1])
x, y = map(float, re.search(r'startposition pos="([^"]+)"', level)[1].split(','))
angle = math.radians(float(re.search(r'oridegrees="([^"]+)"', level)[1]))
head = re.search(r'<race.*?<startposition[^>]*>\n', level, re.S)
points = ''.join(f'\t\t<checkpoint coords="{x - math.sin(angle) * m / scale:.1f}, {y + math.cos(angle) * m / scale:.1f}" />\n' for m in CHECKPOINTS)
start = re.sub(r'targettime="\d+"', 'targettime="65"', head[0])
print(level[: head.start()] + start + points + '\t' + level[level.index('</race>') :])
