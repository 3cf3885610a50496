#!/usr/bin/env python3
"""hedgewars_truth.py CLIP FPS [LOCALE] > CLIP/truth.ndjson: what a recording shows, as statements, from what the engine's script told.

A line of engine.log belongs to the first picture that was shown after it was written (frames.txt). What only the captions tell
(deaths, crates, the match's beginning) was looked at by hand and stands in CLIP/captions.ndjson, lines of truth already.
LOCALE is the language of the game (de, ru …): its own texts say which weapon a name means.
"""
import bisect, json, os, re, sys

# The engine's names of weapons as the dictionary's words.
WORDS = {
    'Grenade': 'grenade', 'Bazooka': 'rocket launcher', 'Mortar': 'mortar', 'Shotgun': 'shotgun', 'Sniper Rifle': 'sniper rifle',
    'Baseball Bat': 'baseball bat', 'Mine': 'mine', 'Desert Eagle': 'hedgewars:desert eagle', 'Shoryuken': 'hedgewars:shoryuken',
    'Cluster Bomb': 'hedgewars:cluster bomb', 'Molotov Cocktail': 'incendiary grenade', 'Watermelon Bomb': 'hedgewars:watermelon bomb',
    'Homing Bee': 'hedgewars:homing bee', 'Drill Rocket': 'hedgewars:drill rocket', 'Dynamite': 'hedgewars:dynamite', 'Whip': 'hedgewars:whip',
    'Hammer': 'war hammer', 'Skip': None,
}


LOCALES = '/usr/share/games/hedgewars/Data/Locale'


def names_in(locale):
    """Weapons by number (00:26) in a locale."""
    return dict(re.findall(r'^(00:\d\d)=(.*\S)', open(f'{LOCALES}/{locale}.txt', encoding='utf-8').read(), re.M))


def speak(locale):
    """The words of weapons by their names in a locale."""
    english = names_in('en')
    WORDS.update({name: WORDS[english[number]] for number, name in names_in(locale).items() if english.get(number) in WORDS})


def lines(clip, fps):
    """(seconds, game time in ms, what, about) of each line of the script."""
    sizes = [int(line.split()[1]) for line in open(f'{clip}/frames.txt')]
    offset = 0
    for line in open(f'{clip}/engine.log', 'rb'):
        offset += len(line)
        parts = line.decode('utf-8', 'replace').rstrip('\n').split('PBP\t')
        frame = bisect.bisect_left(sizes, offset)
        if len(parts) == 2 and frame < len(sizes):
            ms, what, *about = parts[1].split('\t')
            yield round(frame / fps, 6), int(ms), what, about


def statements(clip, fps):
    told = list(lines(clip, fps))
    names = {a[2]: a[3] for _, _, what, a in told if what == 'attack'}
    turns = {ms for _, ms, what, _ in told if what == 'turn'}
    health, full, team, fired, wind = {}, 0, None, True, 0
    for t, ms, what, about in told:
        who = {'word': 'team', 'name': team}
        if what == 'hog':
            health.setdefault(about[0], {})[about[1]] = int(about[2])
            full = max(sum(hogs.values()) for hogs in health.values())
        elif what == 'turn':
            team, fired = about[0], False
            yield t, {'subject': {'word': 'turn', 'of': {'word': 'team', 'name': team}}, 'action': 'begin'}
        elif what == 'attack' and not fired:
            fired = True
            if WORDS[about[3]]:
                yield t, {'subject': who, 'action': 'attack', 'with': WORDS[about[3]]}
        elif what == 'value' and about[0] == 'wind' and ms > 0:
            to = round(float(about[1]))
            if to != wind:
                yield t, {'subject': 'level', 'property': 'wind', 'from': wind, 'to': to}
            wind = to
        elif what == 'value' and about[0] == 'ammo' and team and ms not in turns and WORDS.get(about[2] if len(about) > 2 else names.get(about[1])):
            yield t, {'subject': who, 'action': 'equip', 'object': WORDS[about[2] if len(about) > 2 else names[about[1]]]}
        elif what == 'value' and about[0] == 'health' or what == 'gone':
            _, whose, hog, left = (['', *about] if what == 'gone' else about)
            before = sum(health[whose].values())
            health[whose][hog] = 0 if what == 'gone' else int(left)
            after = sum(health[whose].values())
            if after != before:
                yield t, {'subject': {'word': 'team', 'name': whose}, 'property': 'health', 'from': before * 100 / full, 'to': after * 100 / full}


def merged(told):
    """Changes of a team's health in one picture, or running on from one to the next, are one: the bar runs to its end."""
    out = []
    for t, statement in told:
        last = next((s for u, s in reversed(out) if t - u < 0.2 and s.get('property') == 'health' and s['subject'] == statement.get('subject')), None)
        if statement.get('property') == 'health' and last:
            last['to'] = statement['to']
        else:
            out.append((t, statement))
    for _, statement in out:
        if statement.get('property') == 'health':
            statement['from'], statement['to'] = round(statement['from']), round(statement['to'])
    return out


clip, fps = sys.argv[1], float(sys.argv[2])
if len(sys.argv) > 3:
    speak(sys.argv[3])
truth = merged(statements(clip, fps))
captions = f'{clip}/captions.ndjson'
if os.path.exists(captions):
    truth += [(line['t'], line['statement']) for line in map(json.loads, open(captions))]
for t, statement in sorted(truth, key=lambda entry: entry[0]):
    print(json.dumps({'t': t, 'statement': statement}, ensure_ascii=False))
