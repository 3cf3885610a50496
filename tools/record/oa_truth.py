#!/usr/bin/env python3
"""Truth of an OpenArena demo that was rendered off-line with \\video.

    oa_truth.py DEMO.dm_71 games.log render.log VIDEO truth.json [--fps 30] [--engine ioquake3] [--map NAME]

From the demo's own snapshots: the followed player's health, armour, ammunition, weapon, score, and every obituary event.
An off-line rendering moves the clock by exactly 1/fps a frame, and a snapshot is shown from the first frame whose clock
has reached its server time; the clock of frame 0 is found by fitting the changes of the health and ammunition figures
to changes of the picture. Names and means are checked against the server's games.log, the feed's text is the client's own.
"""
import argparse
import bisect
import difflib
import json
import math
import os
import re
import subprocess
import tempfile

import numpy as np

import quake3_demo

WEAPONS = "none gauntlet machinegun shotgun grenade_launcher rocket_launcher lightning_gun railgun plasma_gun bfg10k grappling_hook nailgun prox_launcher chaingun".split()
ROW = 1400  # milliseconds for which the row of weapons stands
INTERMISSION = (5, 6)  # pm_type: the score table stands, nothing else is drawn
TEAM, SPECTATOR = 3, 3  # who floats about on his own has no figures
USUAL_SHIFT = 0.1  # frames; of a demo in which no figure changes
UNCHANGED = 0.4  # of what changes in the picture with the figures, usually and just before
WARMUP_STRING = 5
SERVER_STRING, RED_STRING, BLUE_STRING = 0, 6, 7
# From this kind of game on there are teams, but not in the last man standing.
TEAMS_FROM, LAST_MAN = 3, 10
MODES = {0: "free for all", 1: "tournament", 3: "team deathmatch", 4: "capture the flag", LAST_MAN: "last man standing"}
HEALTH, ARMOR, SCORE, RANK, KILLED = 0, 4, 0, 2, 8
AWARDS = {9: "impressive", 10: "excellent", 11: "defend", 12: "assist", 13: "humiliation", 14: "capture"}
# Items by their number in the game's list, by the name that the server's log has for them.
ITEMS = """none item_armor_shard item_armor_combat item_armor_body item_health_small item_health item_health_large item_health_mega
weapon_gauntlet weapon_shotgun weapon_machinegun weapon_grenadelauncher weapon_rocketlauncher weapon_lightning weapon_railgun
weapon_plasmagun weapon_bfg weapon_grapplinghook ammo_shells ammo_bullets ammo_grenades ammo_cells ammo_lightning ammo_rockets ammo_slugs
ammo_bfg holdable_teleporter holdable_medkit item_quad item_enviro item_haste item_invis item_regen item_flight team_CTF_redflag
team_CTF_blueflag holdable_kamikaze holdable_portal holdable_invulnerability ammo_nails ammo_mines ammo_belt item_scout item_guard
item_doubler item_ammoregen team_CTF_neutralflag item_redcube item_bluecube weapon_nailgun weapon_prox_launcher weapon_chaingun""".split()
PICK_UP = 19
OBITUARY, TIED = 13 + 60, 0x4000


def parse_args():
    parser = argparse.ArgumentParser()
    for name in ("demo", "games_log", "render_log", "video", "out"):
        parser.add_argument(name)
    parser.add_argument("--fps", type=int, default=30)
    parser.add_argument("--engine", default="/usr/lib/ioquake3/ioquake3")
    parser.add_argument("--cache", default=os.path.join(tempfile.gettempdir(), "quake3-huffman.json"))
    parser.add_argument("--map", default="")
    parser.add_argument("--plays", action="store_true", help="the recording is of who plays, not of a spectator")
    parser.add_argument("--bar", action="store_true", help="the row of weapons always stands (cg_alwaysWeaponBar)")
    parser.add_argument("--growth", help="steady.c's notes: how long the demo was at each frame; says in which a snapshot came, so that no clock is to be fitted")
    return parser.parse_args()


def names(strings):
    """Player names by client number, from the players' config strings (544 and on), colours and all; empty for one who left."""
    found = {}
    for index, text in strings.items():
        if 544 <= index < 544 + 64:
            match = re.match(r"n\\([^\\]*)", text)
            found[index - 544] = match.group(1) if match else ""
    return found


def fed(name):
    """A name as a kill line has it: the client cuts it off after 29 characters, those that only colour included."""
    return plain(name[:29])


def plain(text):
    return re.sub(r"\^[0-9a-zA-Z]", "", text)


def read_demo(path, tree):
    """Snapshots (time, player), obituaries (time, victim, killer, means, both names), names by client, (time, what) of the match (it begins, every line that the server prints, the score table at its end), the kind of game, (time, red, blue): the teams' scores, and how long the demo was with each snapshot."""
    snapshots, obituaries, players, seen, match_events, pending, warmup = [], [], {}, {}, [], [], None
    mode, scores, teams, ends = 0, {}, [], {}
    demo = quake3_demo.Demo(path, tree)
    for kind, *rest in demo:
        if kind == "gamestate":
            players.update(names(rest[0]))
            warmup = rest[0].get(WARMUP_STRING, "")
            scores = {index: rest[0].get(index, "") for index in (RED_STRING, BLUE_STRING)}
            if match := re.search(r"\\g_gametype\\(\d+)", rest[0].get(SERVER_STRING, "")):
                mode = int(match.group(1))
        elif kind == "command":
            match = re.match(r'cs (\d+) "(.*)"', rest[1], re.S)
            if match:
                players.update(names({int(match.group(1)): match.group(2)}))
                if int(match.group(1)) in scores:
                    scores[int(match.group(1))] = match.group(2)
                warmup = match.group(2) if int(match.group(1)) == WARMUP_STRING else warmup
            elif rest[1].startswith("map_restart"):
                pending.append("begin")
            elif match := re.match(r'(?:print|chat) "(.*)', rest[1], re.S):
                pending.append(plain(match.group(1).rstrip('"\n').strip()))
        elif kind == "snapshot":
            snapshot = rest[0]
            # The warm-up is over when the map restarts without a countdown.
            match_events += [(snapshot["time"], what) for what in pending if what != "begin" or warmup in ("", "0")]
            pending = []
            over = [one["player"].get("pm_type", 0) in INTERMISSION for one in (snapshot, {"player": snapshots[-1][1] if snapshots else {}})]
            if over[0] and not over[1]:
                match_events.append((snapshot["time"], "intermission"))
            snapshots.append((snapshot["time"], snapshot["player"]))
            ends[snapshot["time"]] = demo.end
            if mode >= TEAMS_FROM and mode != LAST_MAN and scores and [*scores.values()] != [row[key] for row in teams[-1:] for key in (1, 2)]:
                teams.append((snapshot["time"], *scores.values()))
            now = {n: e for n, e in snapshot["entities"].items() if e.get("eType", 0) == OBITUARY}
            for number, entity in now.items():
                key = (entity.get("otherEntityNum", 0), entity.get("otherEntityNum2", 0), entity.get("eventParm", 0))
                if seen.get(number) != key:
                    who = lambda n: fed(players.get(n, "<world>" if n >= 64 else "?"))
                    if players.get(key[0]):
                        obituaries.append((snapshot["time"], *key, who(key[0]), who(key[1])))
            seen = {n: (e.get("otherEntityNum", 0), e.get("otherEntityNum2", 0), e.get("eventParm", 0)) for n, e in now.items()}
    return snapshots, obituaries, {n: plain(name) for n, name in players.items() if name}, match_events, mode, teams, ends


def games_log(path):
    kills = []
    for line in open(path, encoding="latin-1"):
        match = re.match(r"\s*(\d+):(\d\d) Kill: (\d+) (\d+) (\d+): (.*) killed (.*) by (MOD_\w+)", line)
        if match:
            minutes, seconds, killer, victim, number, _, _, means = match.groups()
            kills.append({"t": int(minutes) * 60 + int(seconds), "killer": int(killer), "victim": int(victim), "number": int(number), "means": means})
    return kills


def match_log(obituaries, log):
    """
    Index in the log of each obituary: the same (victim, killer, means) in the same order. A server that could not keep up sends
    several of its frames as one snapshot, and a death in between is in no snapshot and on no screen; few may be.
    """
    if not obituaries:
        return []
    keys = [(o[1], o[2], o[3]) for o in obituaries]
    logged = [(k["victim"], k["killer"], k["number"]) for k in log]
    best = None
    for start in (i for i, key in enumerate(logged) if key == keys[0]):
        found, at = [], start
        for key in keys:
            while at < len(logged) and logged[at] != key:
                at += 1
            found.append(at)
            at += 1
        if found[-1] < len(logged) and (best is None or found[-1] - start < best[-1] - best[0]):
            best = found
    if best is None or best[-1] - best[0] + 1 > 1.2 * len(keys) + 2:
        raise SystemExit(f"obituaries do not agree with games.log:\n{keys}\n{logged}")
    return best


def feed_lines(path, victims):
    """Kill lines of the client's console, in order: lines that begin with a player's name and are no chat."""
    lines = []
    for line in open(path, encoding="latin-1", errors="replace"):
        text = plain(line.rstrip("\n"))
        name = next((v for v in sorted(victims, key=len, reverse=True) if text.startswith(v + " ")), None)
        if name and not re.match(re.escape(name) + r"(:| entered| disconnected| connected| joined)", text) and " is on a " not in text:
            lines.append((name, text))
    return lines


def awards(snapshots):
    """(time, award) each time a count of the followed player's awards rises."""
    for (_, before), (time, now) in zip(snapshots, snapshots[1:]):
        for index, award in AWARDS.items():
            for _ in range(max(0, now["persistant"].get(index, 0) - before["persistant"].get(index, 0))):
                yield time, award


def pick_ups(snapshots):
    """(time, item) from the events that the game sends to the player: one a snapshot, its upper bits count along; and from those that a player's own program foresees, two of which a snapshot holds."""
    named = lambda item: ITEMS[item] if item < len(ITEMS) else f"item {item}"
    for (_, before), (time, now) in zip(snapshots, snapshots[1:]):
        event = now.get("externalEvent", 0)
        if event != before.get("externalEvent", 0) and event & 0xFF == PICK_UP:
            yield time, named(now.get("externalEventParm", 0))
        if before.get("clientNum", 0) != now.get("clientNum", 0):
            continue
        last = now.get("eventSequence", 0)
        for number in range(max(before.get("eventSequence", 0), last - 2), last):
            if now.get(f"events{number & 1}", 0) & 0xFF == PICK_UP:
                yield time, named(now.get(f"eventParms{number & 1}", 0))


def logged_items(path, client, start, end):
    """What the server's log says that the client picked up, from line to line of two kills (whole seconds)."""
    items = []
    for line in open(path, encoding="latin-1"):
        match = re.match(r"\s*(\d+):(\d\d) Item: (\d+) (\w+)", line)
        if match and int(match.group(3)) == client:
            t = int(match.group(1)) * 60 + int(match.group(2))
            if start <= t <= end:
                items.append(match.group(4))
    return items


def final_scores(path):
    """The table that the server logs when a match ends, and why it ended; empty where it did not."""
    ends, rows = [], []
    for line in open(path, encoding="latin-1"):
        if match := re.match(r"\s*\d+:\d\d Exit: (.*)", line):
            ends, rows = [match.group(1).strip()], []
        elif ends and (match := re.match(r"\s*\d+:\d\d score: (-?\d+)  ping: -?\d+  client: (\d+) (.*)", line)):
            rows.append({"score": int(match.group(1)), "name": plain(match.group(3).strip())})
        elif match := re.match(r"\s*\d+:\d\d red:(-?\d+)  blue:(-?\d+)", line):
            rows.append({"red": int(match.group(1)), "blue": int(match.group(2))})
    return {"why": ends[0], "table": rows} if ends else {}


def gray(video, crop, width, height):
    command = ["ffmpeg", "-v", "error", "-i", video, "-vf", f"crop=iw*{crop[2]}:ih*{crop[3]}:iw*{crop[0]}:ih*{crop[1]},scale={width}:{height}", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    data = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    return np.frombuffer(data, np.uint8).reshape(-1, height, width, 3).astype(np.int16)


def figure_changes(video):
    """How much the gold or white of the health and ammunition figures changes from each frame to the next."""
    total = 0
    for crop in ((0.29, 0.90, 0.15, 0.10), (0.05, 0.90, 0.10, 0.10)):
        picture = gray(video, crop, 96, 36)
        red, green, blue = picture[..., 0], picture[..., 1], picture[..., 2]
        mask = (red > 140) & (green > 100) & ((red - blue > 60) | (blue > 170))
        total = total + np.abs(np.diff(mask.astype(np.int16), axis=0)).mean(axis=(1, 2))
    return np.concatenate([[0], total])


def arrivals(path, ends):
    """The frame of the recording in which each snapshot came, by its time; the recording begins with the demo."""
    notes = [tuple(map(int, line.split())) for line in open(path) if len(line.split()) == 2]
    begin = next(at for at, (_, size) in enumerate(notes) if size > 0)
    sizes = [size for _, size in notes[begin:]]
    return {time: bisect.bisect_left(sizes, end) for time, end in ends.items()}


def fit_lag(video, changes, came, fps):
    """
    Frames after which a snapshot that came is shown: the program draws what lies between two. And which snapshots were
    shown a frame earlier, with the one before: the figures changed then and not in their own frame.
    """
    strength = figure_changes(video)
    strength = np.minimum(strength, np.percentile(strength, 99))
    scores = []
    for lag in range(2 + fps // 12):
        inside = [came[t] + lag for t in changes if came[t] + lag < len(strength)]
        scores.append((float(np.mean(strength[inside])) if inside else 0.0, lag))
    lag = max(scores)[1]
    shown = {t: came[t] + lag for t in changes if 0 < came[t] + lag < len(strength)}
    before, usual = set(shown.values()), float(np.median(strength[list(shown.values())])) if shown else 0
    early = {t for t, frame in shown.items() if frame - 1 in before and strength[frame] < UNCHANGED * min(usual, strength[frame - 1])}
    return len(strength), lag, sorted(scores, reverse=True), early


def fit_offset(video, changes, fps, first):
    """The frame number that shows server time `first`, fitted: shifts by whole and part frames that gather most change."""
    strength = figure_changes(video)
    if not changes:
        return len(strength), [USUAL_SHIFT], []
    strength = np.minimum(strength, np.percentile(strength, 99))
    scores = []
    for tenth in range(-60, 61):
        shift = tenth / 10
        frames = sorted({math.ceil((t - first) * fps / 1000 + shift - 1e-6) for t in changes})
        inside = [f for f in frames if 0 <= f < len(strength)]
        scores.append((float(np.mean(strength[inside])), shift))
    best = max(scores)[0]
    good = [shift for score, shift in scores if score > best * 0.995]
    return len(strength), good, sorted(scores, reverse=True)[:12]


def difference(a, b):
    matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
    return [(a[i:j], b[k:l]) for tag, i, j, k, l in matcher.get_opcodes() if tag != "equal"]


def main():
    args = parse_args()
    fps = args.fps
    tree = quake3_demo.code_tree(args.engine, args.cache)
    snapshots, obituaries, players, match_events, mode, teams, ends = read_demo(args.demo, tree)
    log = games_log(args.games_log)
    places = match_log(obituaries, log)
    # At the end of a match the spectator follows nobody.
    playing = [player for _, player in snapshots if player.get("pm_type", 0) not in INTERMISSION] or [snapshots[-1][1]]
    followed = playing[-1].get("clientNum", 0)
    floats = lambda player: player["persistant"].get(TEAM, 0) == SPECTATOR
    values = lambda p: (p["stats"].get(HEALTH, 0), p["ammo"].get(p.get("weapon", 0), 0))
    changes = [b[0] for a, b in zip(snapshots, snapshots[1:]) if values(a[1]) != values(b[1]) and values(b[1])[0] > 0 and not floats(b[1])]
    if args.growth:
        came = arrivals(args.growth, ends)
        frames, good, scores, early = fit_lag(args.video, changes, came, fps)
        place = lambda t: came[t] + good - (t in early)
    else:
        frames, good, scores = fit_offset(args.video, changes, fps, snapshots[0][0])
        shift = sum(good) / len(good)
        place = lambda t: max(0, math.ceil((t - snapshots[0][0]) * fps / 1000 + shift - 1e-6))
    print("frames", frames, "shift", good, scores)
    lines = feed_lines(args.render_log, {victim for *_, victim, _ in obituaries})
    kills, at = [], 0
    for i, (time, victim, killer, number, name, by) in enumerate(obituaries):
        frame = place(time)
        while at < len(lines) and not (lines[at][0] == name and (killer in (victim, 1022) or by in lines[at][1][len(name) :])):
            at += 1
        text = lines[at][1] if at < len(lines) else ""
        at += 1
        if frame < frames:
            kills.append({
                "t": round(frame / fps, 4), "frame": frame, "killer": by, "victim": name, "means": log[places[i]]["means"],
                "feed_text": text, "followed_is_killer": killer == followed, "followed_is_victim": victim == followed,
                "suicide": killer == victim, "games_log_t": log[places[i]]["t"],
            })
    # Whoever plays sees the row of weapons after choosing one, and no item's name while it stands.
    chosen = [b[0] for a, b in zip(snapshots, snapshots[1:]) if a[1].get("weapon", 0) != b[1].get("weapon", 0)] if args.plays else []
    is_named = lambda t: not args.bar and not any(0 <= t - one < ROW for one in chosen)
    place_all = lambda found: [{"t": round(place(t) / fps, 4), "frame": place(t), "what": what} for t, what in found if place(t) < frames]
    items = place_all((t, item) for t, item in pick_ups(snapshots) if is_named(t))
    # Without a death nothing says where in the log the demo lies.
    begin = log[places[0]]["t"] - (obituaries[0][0] - snapshots[0][0]) / 1000 if places else math.inf
    logged = logged_items(args.games_log, followed, begin, begin + frames / fps)
    print("pick-ups", len(items), "logged", len(logged), "not in the other:", difference(logged, [item["what"] for item in items]))
    series, last = [], None
    for time, player in snapshots:
        weapon = player.get("weapon", 0)
        rank = player["persistant"].get(RANK, 0)
        row = {
            "followed": players.get(player.get("clientNum", 0), "?"), "health": player["stats"].get(HEALTH, 0), "dead": player["stats"].get(HEALTH, 0) <= 0 or floats(player),
            "armor": player["stats"].get(ARMOR, 0), "weapon": WEAPONS[weapon].replace("_", " "), "ammo": player["ammo"].get(weapon, 0),
            "over": player.get("pm_type", 0) in INTERMISSION, "score": player["persistant"].get(SCORE, 0), "rank": (rank & ~TIED) + 1, "rank_tied": bool(rank & TIED), "deaths": player["persistant"].get(KILLED, 0),
        }
        frame = place(time)
        if row != last and frame < frames:
            if series and series[-1]["frame"] == frame:
                series.pop()
            series.append({"frame": frame, "t": round(frame / fps, 4), **row})
            last = row
    head = {
        "game": "OpenArena 0.8.8", "map": args.map, "mode": f"{MODES.get(mode, mode)}, bots", "fps": fps, "frames": frames, "followed_player": players.get(followed),
        "kills": kills, "awards": place_all(awards(snapshots)), "pick_ups": items, "match": place_all(match_events), "scores": final_scores(args.games_log), "alignment": {"fitted_shift_frames": good, "games_log_agrees": f"{len(obituaries)} of {places[-1] - places[0] + 1 if places else 0}"},
    }
    if teams:
        shown = [(place(time), int(red), int(blue)) for time, red, blue in teams if place(time) < frames and red and blue]
        head["teams"] = [{"t": round(frame / fps, 4), "frame": frame, "red": red, "blue": blue} for frame, red, blue in shown]
    with open(args.out, "w") as file:
        file.write(json.dumps(head, indent=1)[:-2] + ',\n"series": [\n' + ",\n".join(json.dumps(row) for row in series) + "\n]}\n")


main()
