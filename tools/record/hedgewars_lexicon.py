#!/usr/bin/env python3
"""hedgewars_lexicon.py captions|weapons LOCALE [LOCALE_FOLDER] > configs/hedgewars/captions.LOCALE.json

What Hedgewars says in a language, from its own texts, as a lexicon: each wording of a caption with what it tells, and each weapon's
name with its word. The texts of happenings are worded otherwise in every language; the numbers before them are the same.
"""
import json, re, sys

KINDS = {'02:00': 'die', '02:01': 'drown', '02:02': 'begin', '02:03': 'win', '01:02': 'win', '02:04': 'draw', '01:01': 'draw', '02:05': 'health',
         '02:06': 'weapon', '02:07': 'utility', '01:06': 'sudden death', '01:07': 'shot', '01:12': 'last round', '01:13': 'rounds'}
# Words of the dictionary, by the English names.
WORDS = {
    'Hellish Hand-Grenade': 'hedgewars:hellish hand grenade', 'Molotov Cocktail': 'incendiary grenade', 'Watermelon Bomb': 'hedgewars:watermelon bomb',
    'Old Limburger': 'hedgewars:limburger', 'Cluster Bomb': 'hedgewars:cluster bomb', 'Desert Eagle': 'hedgewars:desert eagle',
    'Baseball Bat': 'baseball bat', 'Drill Rocket': 'hedgewars:drill rocket', 'Sniper Rifle': 'sniper rifle', 'Piano Strike': 'hedgewars:piano strike',
    'Flamethrower': 'flamethrower', 'Drill Strike': 'hedgewars:drill strike', 'Pick Hammer': 'pickaxe', 'Mine Strike': 'hedgewars:mine strike',
    'Sticky Mine': 'hedgewars:sticky mine', 'Homing Bee': 'hedgewars:homing bee', 'Air Attack': 'hedgewars:air attack',
    'Blow Torch': 'hedgewars:blow torch', 'Shoryuken': 'hedgewars:shoryuken', 'Seduction': 'hedgewars:seduction', 'Dynamite': 'hedgewars:dynamite',
    'Kamikaze': 'hedgewars:kamikaze', 'RC Plane': 'hedgewars:RC plane', 'Sine Gun': 'hedgewars:sine gun', 'Air Mine': 'hedgewars:air mine',
    'Grenade': 'grenade', 'Bazooka': 'rocket launcher', 'Shotgun': 'shotgun', 'Ballgun': 'hedgewars:ballgun', 'Mudball': 'hedgewars:mudball',
    'Cleaver': 'hedgewars:cleaver', 'Creeper': 'hedgewars:creeper', 'Minigun': 'chaingun', 'Mortar': 'mortar', 'Napalm': 'hedgewars:napalm',
    'Hammer': 'war hammer', 'Birdy': 'hedgewars:birdy', 'Rope': 'rope', 'Mine': 'mine', 'Whip': 'hedgewars:whip', 'Cake': 'hedgewars:cake',
}


def texts(locale, folder):
    """(number, text) of each line of a locale."""
    for line in open(f'{folder}/{locale}.txt', encoding='utf-8'):
        found = re.match(r'(\d\d:\d\d)=(.*\S)', line)
        if found:
            yield found[1], found[2]


def captions(locale, folder):
    kinds = {}
    for number, text in texts(locale, folder):
        kind = KINDS.get(number, '' if number.startswith('02:') else None)
        if kind is not None and re.search(r'\w{2}', text.replace('%1', '')):
            slot = 'rounds' if number == '01:13' else 'name'
            wording = re.sub(r'[{}|]', ' ', text).replace('%1', f'{{{slot}}}', 1).replace('%1', '')
            kinds.setdefault(kind, {})[wording] = None
    plain = {kind: {re.sub(r'\W', '', text).lower() for text in list_} for kind, list_ in kinds.items()}
    for kind, list_ in kinds.items():
        others = set().union(*(texts for other, texts in plain.items() if other != kind))
        wordings = [text for text in list_ if re.sub(r'\W', '', text).lower() not in others]
        tells = {'tells': 'rounds', 'rounds': 1} if kind == 'last round' else {'tells': kind} if kind else {}
        yield {**tells, 'text': wordings}


def weapons(locale, folder):
    english = {number: text for number, text in texts('en', folder)}
    for number, text in texts(locale, folder):
        if number.startswith('00:') and len(text) > 1:
            word = WORDS.get(english.get(number))
            yield {'text': text, **({'weapon': word} if word else {})}


what, locale = sys.argv[1], sys.argv[2]
folder = sys.argv[3] if len(sys.argv) > 3 else '/usr/share/games/hedgewars/Data/Locale'
phrases = ',\n'.join('    ' + json.dumps(phrase, ensure_ascii=False) for phrase in (captions if what == 'captions' else weapons)(locale, folder))
print(f'{{\n  "format": "playbyplay/lexicon/1",\n  "phrases": [\n{phrases}\n  ]\n}}')
