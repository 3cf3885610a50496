#!/usr/bin/env python3
"""hedgewars_phrases.py LOCALE.txt: by which words the game script tells what a caption says.

Hedgewars words each happening in a hundred ways. Of every phrase this prints the fewest words that no phrase of another kind has,
a kind a line; a name (%1) next to them stands as *. Where a name stands between others the words beside it are taken.
"""
import re, sys

KINDS = {'00': 'die', '01': 'drown', '02': 'begin', '03': 'win', '04': 'draw', '05': 'health', '06': 'weapon', '07': 'utility'}


def words(text):
    return re.sub(r'[^a-z0-9* ]', '', text.lower().replace('-', ' ')).split()


phrases = {}
for line in open(sys.argv[1], encoding='utf-8'):
    found = re.match(r'02:(\d\d)=(.*)', line)
    if found:
        phrases.setdefault(found[1], []).append(words(found[2].replace('%1', ' * ')))
plain = {kind: [' ' + ' '.join(w for w in p if w != '*') + ' ' for p in list_] for kind, list_ in phrases.items()}


def unique(part, kind):
    return not any(f' {part} ' in p for other, list_ in plain.items() if other != kind for p in list_)


for kind, name in KINDS.items():
    marks = []
    for phrase in phrases[kind]:
        best = None
        if '*' in phrase:
            at = phrase.index('*')
            ways = [('* {}', phrase[at + 1 : at + 1 + n]) for n in range(1, 9)] + [('{} *', phrase[max(0, at - n) : at]) for n in range(1, 9)]
        else:
            ways = [('{}', phrase[i : i + n]) for n in range(1, 9) for i in range(len(phrase) - n + 1)]
        ways = [(form, part) for form, part in ways if part and '*' not in part and len(' '.join(part)) >= (3 if '*' in phrase else 8)]
        for form, part in sorted(ways, key=lambda way: (len(way[1]), len(' '.join(way[1])))):
            if unique(' '.join(part), kind):
                best = form.format(' '.join(part))
                break
        if best and best not in marks:
            marks.append(best)
    print(f"  {name}: '{'; '.join(marks)}',")
