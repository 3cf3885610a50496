#!/usr/bin/env python3
"""game_truth.py GAME CLIP PART: what a recording of Minetest or Nexuiz shows, in the form of the forge's truth.

CLIP holds events.log (the game's own lines), frames.txt (frame, length of events.log when it was shown) and clip.json, which says how
many seconds of pictures came before the recording. A line of the log belongs to the first picture that was shown after it was written.
PART is learn or judge. Where each element is drawn was measured by hand in pictures of 960 x 540.
"""
import bisect, json, re, sys

# Minetest Game at 960 x 540: eight slots with the number of their items, hearts, and lines of chat.
SLOTS = {i: (224 + 58 * i, 510, 24, 22) for i in range(1, 9)}
HEARTS = (205, 448, 250, 26)
CHAT = (4, 4, 560, 210)
CHAT_LINES, CHAT_SECONDS = 10, 10
# Nexuiz at 960 x 540: console lines, clock, score, and figures whose values the log does not name.
NEXUIZ = {
    'messages': ('message', (0, 0, 520, 44)),
    'time': ('clock', (882, 0, 78, 20)),
    'score': ('counter', (868, 506, 40, 30)),
    'health': ('counter', (390, 512, 70, 28)),
    'armor': ('counter', (310, 512, 70, 28)),
    'ammunition': ('counter', (236, 496, 54, 22)),
    'followed': ('name', (0, 472, 160, 24)),
}


def timed(clip, about):
    """(seconds, line) of each line of the log that the video shows."""
    sizes = [int(line.split()[1]) for line in open(f'{clip}/frames.txt')]
    first, offset = about['delay'] * about['fps'], 0
    for line in open(f'{clip}/events.log', 'rb'):
        offset += len(line)
        frame = bisect.bisect_left(sizes, offset)
        if frame < len(sizes):
            yield max(0, frame - first) / about['fps'], line.decode('utf-8', 'replace').rstrip('\n'), frame >= first


def box(rect, about):
    if (about['width'], about['height']) != (960, 540): sys.exit('where elements are drawn is known for 960x540 only')
    return dict(zip(('x', 'y', 'width', 'height'), rect))


def minetest(clip, about, length):
    values, shown = {f'slot {i}': None for i in SLOTS} | {'health': None}, {}
    out, seen = [], set()
    for t, line, inside in timed(clip, about):
        _, key, value = line.split('\t')
        if key == 'chat' and inside:
            out.append({'type': 'event', 't': t, 'name': 'message', 'element': 'chat', 'text': value, 'until': t + CHAT_SECONDS})
        elif key in values:
            kind, number = ('level', int(value) / 20) if key == 'health' else ('change', None)
            if key != 'health':
                # A single item has no number.
                number = None if value == 'empty' or value.endswith(' 1') else int(value.split(' ')[1])
            before = values[key]
            values[key] = number
            if number is not None: seen.add(key)
            if inside or not any(one['element'] == key and one['t'] == 0 for one in out if one['type'] == 'value'):
                out.append({'type': 'value', 't': t, 'element': key, 'value': number})
            if inside and before is not None and number is not None and before != number:
                out.append({'type': 'event', 't': t, 'name': kind, 'element': key, 'from': before, 'to': number})
    whole = [[0, length]]
    elements = [{'type': 'element', 'id': f'slot {i}', 'kind': 'counter', 'box': box(rect, about), 'visible': whole}
                for i, rect in SLOTS.items() if f'slot {i}' in seen]
    elements.append({'type': 'element', 'id': 'health', 'kind': 'gauge', 'box': box(HEARTS, about), 'visible': whole})
    elements.append({'type': 'element', 'id': 'chat', 'kind': 'message', 'box': box(CHAT, about), 'visible': whole})
    return elements, [], out


def nexuiz(clip, about, length):
    out, names = [], set()
    for t, line, inside in timed(clip, about):
        text = re.sub(r'\^(?:\d|x[0-9a-fA-F]{3})|\x1b\[[0-9;]*m', '', line).strip()
        joined = re.fullmatch(r'(.+) connected', text)
        if joined: names.add(joined[1])
        elif inside and any(re.match(re.escape(name) + r"(?:'s)? ", text) for name in names):
            # Lines vanish after four seconds.
            out.append({'type': 'event', 't': t, 'name': 'message', 'element': 'messages', 'text': text, 'until': t + 4})
    whole = [[0, length]]
    elements = [{'type': 'element', 'id': name, 'kind': kind, 'box': box(rect, about), 'visible': whole,
                 **({'isRestless': True} if kind == 'counter' else {}), **({'direction': 'down'} if kind == 'clock' else {})}
                for name, (kind, rect) in NEXUIZ.items()]
    return elements, [], out


def main():
    game, clip, part = sys.argv[1:4]
    about = json.load(open(f'{clip}/clip.json'))
    frames = sum(1 for _ in open(f'{clip}/frames.txt')) - about['delay'] * about['fps']
    length = frames / about['fps']
    elements, decor, rest = {'minetest': minetest, 'nexuiz': nexuiz}[game](clip, about, length)
    header = {'type': 'header', 'format': 'playbyplay/forge/1', 'game': game, 'genre': game, 'seed': about.get('seed', 0), 'part': part,
              'width': about['width'], 'height': about['height'], 'frameRate': about['fps'], 'isVariable': False, 'codec': 'h264',
              'bitrate': about.get('kbits', 3000) * 1000, 'duration': length, 'language': 'en', 'scale': 1, 'scene': game}
    for line in [header, *elements, *decor, *sorted(rest, key=lambda one: one['t'])]:
        print(json.dumps(line))


main()
