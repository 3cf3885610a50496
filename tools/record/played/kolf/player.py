#!/usr/bin/env python3
"""player.py SIZE SEED COURSE: starts a round of Kolf on the seventh course of its list and putts towards the cup for chance lengths."""
import os, random, re, subprocess, sys, time

width, height = map(int, sys.argv[1].split('x'))
chance = random.Random(int(sys.argv[2]))
cups = {int(hole): (int(x), int(y)) for hole, x, y in re.findall(r'^\[(\d+)-cup@(\d+),(\d+)\|', open(sys.argv[3]).read(), re.M)}
DISPLAY = os.environ['DISPLAY']


def do(*words): return subprocess.run(['xdotool', *map(str, words)], capture_output=True, text=True).stdout


def row(y):
    """Grey levels of a row of the screen."""
    grab = ['ffmpeg', '-v', 'error', '-f', 'x11grab', '-draw_mouse', '0', '-video_size', f'{width}x1', '-i', f'{DISPLAY}+0,{y}',
            '-frames:v', '1', '-pix_fmt', 'gray', '-f', 'rawvideo', '-']
    return subprocess.run(grab, capture_output=True).stdout


def click(x, y):
    do('mousemove', x, y, 'click', 1)
    time.sleep(1)


def windows():
    """Visible windows, the newest last; the first two are the screen and the game."""
    return do('search', '--onlyvisible', '--name', '.*').split()


def place(window): return {key: int(value) for key, value in re.findall(r'(X|Y|WIDTH|HEIGHT)=(\d+)', do('getwindowgeometry', '--shell', window))}


click(26, 38)  # New
dialog = place(windows()[-1])
click(dialog['X'] + 64, dialog['Y'] + 45)  # Course
click(dialog['X'] + 178, dialog['Y'] + 165)  # Really Easy
click(dialog['X'] + 489, dialog['Y'] + 274)  # OK
do('windowsize', windows()[-1], width, height)
time.sleep(1)
# The field is square, under the tool bar; a table of 2 players and the par is below it.
side = height - 216
time.sleep(2)
while True:
    if len(windows()) > 2:
        # A message, which is shown for two seconds.
        time.sleep(2)
        box = place(windows()[-1])
        click(box['X'] + box['WIDTH'] - 50, box['Y'] + box['HEIGHT'] - 23)
    # The table's header ends after a column for each hole so far, and one for the total.
    header = row(height - 136)
    right = max((x for x, level in enumerate(header) if level == 241), default=141)
    hole = max(1, round((right - 113) / 28))
    x, y = cups.get(hole, (200, 200))
    do('mousemove', 9 + x * side / 400, 63 + y * side / 400)
    time.sleep(0.4)
    do('mousedown', 1)
    time.sleep(chance.uniform(0.25, 0.8))
    do('mouseup', 1)
    time.sleep(chance.uniform(2.2, 3))
