"""A second evaluator of structured queries (docs/reference/query.schema.json) over event logs.

Written from the reference, independently of src/query, so that the two check each other. Needs no third-party module.

    python3 evaluate.py <dictionary folder> <logs folder> < requests

A request is one JSON object a line: {"log": "arena", "query": {...}}. The answer is one JSON value a line.
"""

import json
import math
import os
import sys

SLOTS = ["subject", "object", "with", "to", "from", "at", "manner"]
KIND_OF_LIST = {"objects": "object", "actions": "action", "properties": "property"}


class Words:
    """The hierarchy of words of some dictionaries."""

    def __init__(self, folder, names):
        self.parent = {}
        self.causes = {}
        self.implied = {}
        self.events = {}
        for name in names:
            path = os.path.join(folder, name + ".json")
            if not os.path.exists(path):
                continue
            with open(path, encoding="utf-8") as file:
                data = json.load(file)
            prefix = "" if name == "common" else name + ":"
            for list_name, kind in KIND_OF_LIST.items():
                for entry in data.get(list_name, []):
                    word = prefix + entry["name"] + ("#" + entry["sense"] if "sense" in entry else "")
                    self.parent[kind, word] = entry.get("parent")
                    if "causes" in entry:
                        self.causes[word] = entry["causes"]
                    for slot, rule in entry.get("slots", {}).items():
                        if isinstance(rule, dict) and "word" in rule:
                            self.implied[word, slot] = rule["word"]
            for event in data.get("events", []):
                self.events[prefix + event["name"]] = event

    def is_a(self, word, ancestor, kinds):
        for kind in kinds:
            current = word
            while current is not None and (kind, current) in self.parent:
                if current == ancestor:
                    return True
                current = self.parent[kind, current]
        return word == ancestor

    def effect(self, action):
        while action is not None:
            if action in self.causes:
                return self.causes[action]
            action = self.parent.get(("action", action))
        return None


def in_range(value, bounds):
    return (
        ("min" not in bounds or value >= bounds["min"])
        and ("max" not in bounds or value <= bounds["max"])
        and ("above" not in bounds or value > bounds["above"])
        and ("below" not in bounds or value < bounds["below"])
    )


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def identity(slot):
    if isinstance(slot, str):
        slot = {"word": slot}
    return (slot["word"], slot.get("name"), identity(slot["of"]) if "of" in slot else None)


class Session:
    """The events of one log in order of time; a match is a list of indexes of events."""

    def __init__(self, words, header, events):
        self.words = words
        self.header = header
        self.duration = header["media"]["duration"]
        self.name = header["session"]
        self.events = sorted(events, key=lambda event: event["t"])

    def statement(self, index):
        return self.events[index]["statement"]

    def time(self, index):
        return self.events[index]["t"]

    def end(self, index):
        return self.events[index]["end"]

    # Statements

    def mention_fits(self, slot, pattern, kinds):
        mention = {"word": slot} if isinstance(slot, str) else slot
        if "words" in pattern and not any(self.words.is_a(mention["word"], each, kinds) for each in pattern["words"]):
            return False
        if "name" in pattern and mention.get("name", "").lower() != pattern["name"].lower():
            return False
        if "count" in pattern and ("count" not in mention or not in_range(mention["count"], pattern["count"])):
            return False
        return "of" not in pattern or ("of" in mention and self.mention_fits(mention["of"], pattern["of"], ["object"]))

    def slot_fits(self, slot, pattern, kinds):
        fits = (
            slot is not None
            and ("any" not in pattern or any(self.mention_fits(slot, each, kinds) for each in pattern["any"]))
            and not any(self.mention_fits(slot, each, kinds) for each in pattern.get("except", []))
        )
        return not fits if pattern.get("absent") else fits

    def value_fits(self, value, pattern):
        if "any" in pattern:
            everything = ["object", "action", "property"]
            return isinstance(value, dict) and any(self.mention_fits(value, each, everything) for each in pattern["any"])
        if "text" in pattern:
            return isinstance(value, str) and value.lower() == pattern["text"].lower()
        return is_number(value) and in_range(value, pattern)

    def action_fits(self, statement, pattern):
        if "action" not in statement:
            return False
        action = statement["action"]
        if pattern["action"] and not any(self.words.is_a(action, each, ["action"]) for each in pattern["action"]):
            return False
        for slot in SLOTS:
            if slot not in pattern:
                continue
            filler = statement.get(slot, self.words.implied.get((action, slot)))
            if not self.slot_fits(filler, pattern[slot], ["property" if slot == "manner" else "object"]):
                return False
        if "amount" in pattern and ("amount" not in statement or not in_range(statement["amount"], pattern["amount"])):
            return False
        if "unit" in pattern:
            return "unit" in statement and any(
                self.words.is_a(statement["unit"], each, ["object"]) for each in pattern["unit"]
            )
        return True

    def property_fits(self, statement, pattern):
        if "property" not in statement:
            return False
        if pattern["property"] and not any(
            self.words.is_a(statement["property"], each, ["property"]) for each in pattern["property"]
        ):
            return False
        if "subject" in pattern and not self.slot_fits(statement["subject"], pattern["subject"], ["object"]):
            return False
        before, after = statement.get("from"), statement["to"]
        change = pattern.get("change")
        if change == "changes" and (before is None or before == after):
            return False
        if change in ("rises", "drops"):
            if not (is_number(before) and is_number(after)):
                return False
            if (after > before) != (change == "rises") or after == before:
                return False
        if "from" in pattern and (before is None or not self.value_fits(before, pattern["from"])):
            return False
        if "to" in pattern and not self.value_fits(after, pattern["to"]):
            return False
        if "by" in pattern:
            return is_number(before) and is_number(after) and in_range(abs(after - before), pattern["by"])
        return True

    def causing(self, pattern):
        """The pattern of what causes an effect: somebody kills whom one asks about."""
        if not pattern["action"] or any(key in pattern for key in ("object", "to", "from", "amount", "unit")):
            return None
        actions = [
            word
            for (kind, word) in self.words.parent
            if kind == "action"
            and self.words.effect(word) is not None
            and any(
                self.words.is_a(self.words.effect(word), each, ["action"])
                and not self.words.is_a(word, each, ["action"])
                for each in pattern["action"]
            )
        ]
        if not actions:
            return None
        other = {key: value for key, value in pattern.items() if key != "subject"}
        other["action"] = actions
        if "subject" in pattern:
            other["object"] = pattern["subject"]
        return other

    # Conditions

    def find(self, condition):
        """The matches of a condition."""
        singles = self.single(condition)
        if singles is not None:
            return [[index] for index in range(len(self.events)) if index in singles]
        if "sequence" in condition:
            return [match for match, _ in self.sequences(condition)]
        if "near" in condition:
            return self.near(condition)
        if "event" in condition:
            return self.composites(condition)
        if "nth" in condition:
            matches = self.find(condition["of"])
            at = condition["nth"] - 1 if condition["nth"] > 0 else len(matches) + condition["nth"]
            return matches[at : at + 1] if 0 <= at < len(matches) else []
        if "all" in condition:
            several = [each for each in condition["all"] if self.single(each) is None]
            tests = [self.single(each) for each in condition["all"] if self.single(each) is not None]
            others = [set(index for match in self.find(each) for index in match) for each in several[1:]]
            return [
                match
                for match in self.find(several[0])
                if all(index in test for index in match for test in tests)
                and all(any(index in other for index in match) for other in others)
            ]
        if "any" in condition:
            distinct = {tuple(match): match for each in condition["any"] for match in self.find(each)}
            return sorted(distinct.values(), key=lambda match: match[0])
        if "not" in condition:
            matched = set(index for match in self.find(condition["not"]) for index in match)
            return [[index] for index in range(len(self.events)) if index not in matched]
        raise ValueError("unknown condition " + json.dumps(condition))

    def single(self, condition):
        """The indexes of the events that satisfy a condition about single events; None for other conditions."""
        indexes = range(len(self.events))
        if "action" in condition:
            direct = set(i for i in indexes if self.action_fits(self.statement(i), condition))
            causing = self.causing(condition)
            if causing is None:
                return direct
            caused = set(
                i
                for i in indexes
                if i not in direct
                and self.action_fits(self.statement(i), causing)
                and not any(
                    abs(self.time(j) - self.time(i)) <= 1
                    and "subject" in self.statement(j)
                    and "object" in self.statement(i)
                    and identity(self.statement(j)["subject"]) == identity(self.statement(i)["object"])
                    for j in direct
                )
            )
            return direct | caused
        if "property" in condition:
            return set(i for i in indexes if self.property_fits(self.statement(i), condition))
        if "mentions" in condition:
            everything = ["object", "action", "property"]
            return set(
                i
                for i in indexes
                if any(self.slot_fits(slot, condition["mentions"], everything) for slot in self.fillers(i))
            )
        if "time" in condition:
            start, end = self.bounds(condition["time"])
            return set(i for i in indexes if start <= self.time(i) <= end)
        if "while" in condition:
            pattern = condition["while"]
            return set(
                i
                for i in indexes
                if (value := self.value_at(pattern, self.time(i), False)) is not None
                and self.value_fits(value, pattern["to"])
            )
        if "confidence" in condition:
            return set(i for i in indexes if in_range(self.events[i]["confidence"], condition["confidence"]))
        if "game" in condition or "session" in condition:
            return set(
                i
                for i in indexes
                if self.events[i]["game"] in condition.get("game", [self.events[i]["game"]])
                and self.name in condition.get("session", [self.name])
            )
        if "period" in condition:
            periods = self.selected_periods(condition["period"])
            return set(i for i in indexes if any(self.in_period(self.time(i), period) for period in periods))
        for key, join in (("all", set.intersection), ("any", set.union)):
            if key in condition:
                parts = [self.single(each) for each in condition[key]]
                return None if any(part is None for part in parts) else join(*parts)
        if "not" in condition:
            part = self.single(condition["not"])
            return None if part is None else set(indexes) - part
        return None

    def fillers(self, index):
        statement = self.statement(index)
        if "property" in statement:
            values = [statement.get("from"), statement["to"]]
            return [statement["subject"]] + [value for value in values if isinstance(value, dict)]
        return [statement[slot] for slot in SLOTS if slot in statement]

    def bounds(self, time):
        starts, ends = [-math.inf], [math.inf]
        if "from" in time:
            starts.append(time["from"])
        if "to" in time:
            ends.append(time["to"])
        if "first" in time:
            ends.append(time["first"])
        if "last" in time:
            starts.append(self.duration - time["last"])
        if "part" in time:
            starts.append(time["part"]["from"] * self.duration)
            ends.append(time["part"]["to"] * self.duration)
        return max(starts), min(ends)

    # Periods: rounds, halves, laps

    def periods(self, words):
        """The periods of a word as (start, end, whether what happens at the end belongs to it)."""

        def is_period(slot):
            if slot is None:
                return False
            word = slot if isinstance(slot, str) else slot["word"]
            return any(self.words.is_a(word, each, ["object"]) for each in words)

        begins, ends, own, others = [], [], [], {}
        for event in self.events:
            statement = event["statement"]
            if "action" not in statement:
                continue
            action = statement["action"]
            if is_period(statement.get("subject")):
                if self.words.is_a(action, "begin", ["action"]):
                    begins.append(event["t"])
                if self.words.is_a(action, "end", ["action"]):
                    ends.append(event["t"])
                    own.append(event["t"])
            elif statement.get("subject") is not None and self.words.is_a(action, "begin", ["action"]):
                subject = statement["subject"]
                word = subject if isinstance(subject, str) else subject["word"]
                others.setdefault(word, []).append(event["t"])
            ending = any(self.words.is_a(action, each, ["action"]) for each in ("win", "lose", "draw", "complete"))
            if ending and is_period(statement.get("object")):
                ends.append(event["t"])
                own.append(event["t"])
            verb, _, noun = action.split("#")[0].split(":")[-1].partition(" ")
            if verb in ("win", "lose", "complete") and noun and is_period(noun):
                ends.append(event["t"])
                if statement.get("subject") == "player":
                    own.append(event["t"])
        if not begins and not ends:
            return []
        counted = sorted(own or ends)
        ends = [t for number, t in enumerate(counted) if number == 0 or t - counted[number - 1] > 1]
        found = []
        first = min(begins[:1] + ends[:1])
        alternating = []
        for times in others.values():
            order = [mine for _, mine in sorted([(t, True) for t in begins] + [(t, False) for t in times])]
            if len(order) >= 3 and all(one != next_one for one, next_one in zip(order, order[1:])):
                alternating.append(times)
        start = None if (begins and begins[0] == 0) or any(times[0] < first for times in alternating) else 0
        ends = ends + [t for times in alternating for t in times]
        for t, kind in sorted([(t, 1) for t in begins] + [(t, 0) for t in ends]):
            if start is not None and t > start:
                found.append([start, t, kind == 0])
            start = None if kind == 0 and begins else t
        if start is not None and begins and start < self.duration:
            found.append([start, self.duration, False])
        if found:
            found[-1][2] = True
        return found

    def selected_periods(self, pattern):
        """The periods that a condition is about: of this number, and in which something happens or does not."""
        periods = self.periods(pattern["word"])
        if "nth" in pattern:
            at = pattern["nth"] - 1 if pattern["nth"] > 0 else len(periods) + pattern["nth"]
            periods = periods[at : at + 1] if at >= 0 else []
        for key, is_wanted in (("having", True), ("without", False)):
            if key in pattern:
                found = [[self.time(index) for index in match] for match in self.find(pattern[key])]
                periods = [
                    each for each in periods if is_wanted == any(all(self.in_period(t, each) for t in times) for times in found)
                ]
        return periods

    @staticmethod
    def in_period(t, period):
        start, end, closed = period
        return start <= t <= end if closed else start <= t < end

    # Variables: "the same opponent"

    def bind(self, condition, index):
        """The values of the variables of a condition; None if a slot with a variable is empty."""
        statement = self.statement(index)
        if "all" in condition:
            parts = [self.bind(each, index) for each in condition["all"]]
            return None if None in parts else [pair for part in parts for pair in part]
        if "nth" in condition:
            return self.bind(condition["of"], index)
        if "any" in condition and isinstance(condition["any"], list):
            for each in condition["any"]:
                if index in (self.single(each) or ()):
                    return self.bind(each, index)
            return []
        if "action" in condition and "action" in statement and not self.action_fits(statement, condition):
            caused = self.causing(condition)
            condition = caused if caused is not None else condition
        pairs = []
        if "action" in condition or "property" in condition:
            for slot in SLOTS:
                pattern = condition.get(slot)
                if isinstance(pattern, dict) and "same" in pattern:
                    filler = statement.get(slot)
                    if filler is None:
                        return None
                    pairs.append((pattern["same"], identity(filler)))
        return pairs

    @staticmethod
    def merge(bindings, pairs):
        if pairs is None:
            return None
        merged = dict(bindings)
        for variable, value in pairs:
            if merged.setdefault(variable, value) != value:
                return None
        return merged

    def sequences(self, condition):
        steps = [(step, self.find(step)) for step in condition["sequence"]]
        unwanted = [(step, self.find(step)) for step in condition.get("without", [])]
        within, span = condition.get("within", math.inf), condition.get("span", math.inf)
        used, found = set(), []

        def extend(match, last, bindings, number):
            if number == len(steps):
                return match, bindings
            step, candidates = steps[number]
            for candidate in candidates:
                start = self.time(candidate[0])
                if candidate[0] <= last[-1] or used & set(candidate):
                    continue
                if start - max(self.end(i) for i in last) > within or start - self.time(match[0]) > span:
                    return None
                merged = self.merge(bindings, self.bind(step, candidate[0]))
                if merged is not None:
                    rest = extend(match + candidate, candidate, merged, number + 1)
                    if rest is not None:
                        return rest
            return None

        first, starts = steps[0]
        for start in starts:
            bindings = self.merge({}, self.bind(first, start[0]))
            if used & set(start) or bindings is None:
                continue
            result = extend(list(start), start, bindings, 1)
            if result is None:
                continue
            match, bindings = result
            if any(
                self.time(match[0]) <= self.time(other[0]) <= self.time(match[-1])
                and other[0] not in match
                and self.merge(bindings, self.bind(step, other[0])) is not None
                for step, others in unwanted
                for other in others
            ):
                continue
            if condition.get("apart"):
                used |= set(match)
            found.append((match, bindings))
            if condition.get("first"):
                break
        return found

    def near(self, condition):
        others = self.find(condition["near"])
        within, side = condition.get("within", math.inf), condition["side"]

        def is_near(match, other):
            if set(match) & set(other):
                return False
            since = self.time(match[0]) - max(self.end(i) for i in other)
            until = self.time(other[0]) - max(self.end(i) for i in match)
            if side == "after":
                close = self.time(other[0]) <= self.time(match[0]) and since <= within
            elif side == "before":
                close = self.time(other[0]) >= self.time(match[0]) and until <= within
            else:
                close = max(since, until) <= within
            if not close:
                return False
            bindings = self.merge({}, self.bind(condition["find"], match[0]))
            return bindings is not None and self.merge(bindings, self.bind(condition["near"], other[0])) is not None

        wanted = not condition.get("absent", False)
        return [match for match in self.find(condition["find"]) if any(is_near(match, o) for o in others) == wanted]

    def composites(self, condition):
        found = []
        for name in condition["event"]:
            event = self.words.events[name]
            owner = condition.get("subject")
            stated = []
            if ("object", name) in self.words.parent:
                stated = self.find({"mentions": {"any": [{"words": [name]}]}})
            owners = set(identity(self.statement(match[0]).get("subject", "")) for match in stated)
            for match in stated:
                if owner is None or self.slot_fits(self.statement(match[0]).get("subject"), owner, ["object"]):
                    found.append(match)
            for match, bindings in self.sequences(self.definition(event)):
                subject = bindings.get(event["statement"].get("subject", "").lstrip("?"))
                if subject is None or subject in owners:
                    continue
                slot = {"word": subject[0]}
                if subject[1] is not None:
                    slot["name"] = subject[1]
                if owner is None or self.slot_fits(slot, owner, ["object"]):
                    found.append(match)
        return sorted(found, key=lambda match: self.time(match[0]))

    def definition(self, event):
        def slot(text):
            parts = text.split("?")
            pattern = {"any": [{"words": [parts[0].strip()]}]} if parts[0].strip() else {}
            if len(parts) > 1:
                pattern["same"] = parts[1]
            return pattern

        def step(entry):
            if "any" in entry:
                return {"any": [step(each) for each in entry["any"]]}
            slots = {key: slot(entry[key]) for key in SLOTS if key in entry}
            if "property" not in entry:
                return {"action": [entry["action"]] if "action" in entry else [], **slots}
            bounds = {key: entry[key] for key in ("below", "above") if key in entry}
            pattern = {"property": [entry["property"]]}
            if "subject" in slots:
                pattern["subject"] = slots["subject"]
            if "change" in entry:
                pattern["change"] = entry["change"]
            if bounds:
                pattern["to"] = bounds
            return pattern

        steps = [step(entry) for entry in event["steps"] for _ in range(entry.get("times", 1))]
        condition = {"sequence": steps, "apart": True}
        for key in ("within", "span", "first"):
            if key in event:
                condition[key] = event[key]
        if "without" in event:
            condition["without"] = [step(entry) for entry in event["without"]]
        return condition

    # Properties over time

    def lives(self, subject):
        spawns, deaths = [], []
        for event in self.events:
            statement = event["statement"]
            if "action" not in statement:
                continue
            action = statement["action"]
            if self.words.is_a(action, "spawn", ["action"]) and self.slot_fits(
                statement.get("subject"), subject, ["object"]
            ):
                spawns.append(event["t"])
            victim = None
            if self.words.is_a(action, "die", ["action"]):
                victim = statement.get("subject")
            elif self.words.effect(action) is not None and self.words.is_a(
                self.words.effect(action), "die", ["action"]
            ):
                victim = statement.get("object")
            if victim is not None and self.slot_fits(victim, subject, ["object"]):
                if not deaths or event["t"] - deaths[-1] > 1:
                    deaths.append(event["t"])
        return spawns, deaths

    def changes(self, pattern):
        narrow = {key: pattern[key] for key in ("property", "subject") if key in pattern}
        return [event for event in self.events if self.property_fits(event["statement"], narrow)]

    def value_at(self, pattern, t, included):
        changes = self.changes(pattern)
        spawns, _ = self.lives(pattern.get("subject", {}))
        past = [change for change in changes if change["t"] < t or (included and change["t"] == t)]
        following = changes[len(past)] if len(past) < len(changes) else None
        if not past:
            return following["statement"].get("from") if following else None
        last = past[-1]
        if not any(last["t"] < spawn and (spawn < t or (included and spawn == t)) for spawn in spawns):
            return last["statement"]["to"]
        if following:
            return following["statement"].get("from")
        is_reset = any(
            first["statement"]["to"] != second["statement"].get("from")
            and any(first["t"] < spawn <= second["t"] for spawn in spawns)
            for first, second in zip(changes, changes[1:])
        )
        return None if is_reset else last["statement"]["to"]

    def spans(self, pattern):
        spawns, deaths = self.lives(pattern.get("subject", {}))
        times = [0] + [change["t"] for change in self.changes(pattern)] + spawns + deaths
        starts = sorted(set(t for t in times if t < self.duration))
        spans = []
        for t, end in zip(starts, starts[1:] + [self.duration]):
            dead = [death for death in deaths if death <= t]
            alive = not spawns or not dead or any(dead[-1] < spawn <= t for spawn in spawns)
            value = self.value_at(pattern, t, True) if alive else None
            if value is None or not self.value_fits(value, pattern["to"]):
                continue
            if spans and spans[-1][1] == t:
                spans[-1][1] = end
            else:
                spans.append([t, end])
        return spans


def subject_of(condition):
    """Whom a condition is about: the subject of its first pattern that names one."""
    if not isinstance(condition, dict):
        return None
    if "subject" in condition:
        return condition["subject"]
    children = []
    for key in ("all", "any", "sequence"):
        if isinstance(condition.get(key), list):
            children += condition[key]
    children += condition.get("without", [])
    children += [condition[key] for key in ("not", "of", "find", "near") if key in condition]
    for child in children:
        subject = subject_of(child)
        if subject is not None:
            return subject
    return None


PLAYER = {"any": [{"words": ["player"]}]}


class Evaluation:
    """The answer to one query over some sessions."""

    def __init__(self, sessions, query):
        self.query = query
        self.all_sessions = sessions
        parts = [query["find"]] + query["find"].get("all", [])
        self.sessions = [
            session
            for session in sessions
            if all(session.name in part.get("session", [session.name]) for part in parts)
            and all(session.header["game"] in part.get("game", [session.header["game"]]) for part in parts)
        ]

    def answer(self):
        query = self.query
        matches = [(session, match) for session in self.all_sessions for match in session.find(query["find"])]
        if "sort" in query:
            measured = self.measured(matches, query["sort"]["of"])
            numbers = [(value, match) for _, value, match in measured if is_number(value)]
            numbers.sort(key=lambda pair: pair[0], reverse=query["sort"]["order"] == "highest")
            matches = [match for _, match in numbers]
        if "nth" in query:
            at = query["nth"] - 1 if query["nth"] > 0 else len(matches) + query["nth"]
            matches = matches[at : at + 1] if 0 <= at < len(matches) else []
        elif "first" in query:
            matches = matches[: query["first"]]
        elif "last" in query:
            matches = matches[-query["last"] :]
        if "by" in query:
            return self.groups(matches)
        if "versus" in query:
            return self.versus()
        if "whether" in query:
            held = "while" in query["find"] and any(session.spans(query["find"]["while"]) for session in self.sessions)
            return {"value": len(matches) > 0 or held}
        if "ratio" in query:
            return {"value": self.divide(len(matches), self.count(query["ratio"]))}
        if "share" in query:
            return {"value": self.divide(100 * len(matches), self.count(query["share"]))}
        if "streak" in query:
            return {"value": max([0] + [self.streak(session, matches) for session in self.sessions])}
        if "measure" in query:
            values = self.measured(matches, query["measure"]["of"])
            if query["measure"]["take"] == "each":
                numbers = [value for _, value, _ in values]
                if query["measure"]["of"] == "held" and "sort" in query:
                    numbers = self.ranked(numbers, query["sort"]["order"])[: query.get("first")]
                return {"values": numbers}
            numbers = [value for _, value, _ in values if is_number(value)]
            return {"value": self.per(self.take(numbers, query["measure"]["take"]))}
        if "state" in query:
            return {"values": [value for _, value, _ in self.measured(matches, "state")]}
        if "at" in query:
            values = [value for session in self.sessions for value in self.values_at(session)]
            for key, order in (("top", "highest"), ("bottom", "lowest")):
                if key in query:
                    values = self.ranked(values, order)
                    limit = values[min(query[key], len(values)) - 1 : query[key]]
                    values = [v for i, v in enumerate(values) if i < query[key] or v == limit[0]]
            return {"values": values}
        if "count" in query or "per" in query:
            return {"value": self.per(len(matches))}
        return {"matches": [[session.events[index]["id"] for index in match] for session, match in matches]}

    def versus(self):
        def number(query):
            answer = Evaluation(self.all_sessions, query).answer()
            values = [answer["value"]] if "value" in answer else answer.get("values", [])
            numbers = [value for value in values if is_number(value)]
            return numbers[0] if numbers else None

        plain = {key: value for key, value in self.query.items() if key != "versus"}
        other = self.query["versus"]
        first, second = number(plain), number({**plain, "find": other["with"]})
        if other["as"] == "both":
            return {"value": first, "compared": [first, second]}
        if first is None or second is None:
            return {"value": None, "compared": [first, second]}
        value = {
            "difference": first - second,
            "larger": max(first, second),
            "smaller": min(first, second),
            "more": first > second,
            "fewer": first < second,
            "equal": first == second,
        }[other["as"]]
        return {"value": value, "compared": [first, second]}

    @staticmethod
    def ranked(values, order):
        return sorted([value for value in values if is_number(value)], reverse=order == "highest")

    @staticmethod
    def divide(value, divisor):
        return None if divisor == 0 else value / divisor

    @staticmethod
    def take(numbers, how):
        if how == "sum":
            return sum(numbers)
        if not numbers:
            return None
        return {"average": sum(numbers) / len(numbers), "highest": max(numbers), "lowest": min(numbers)}[how]

    def count(self, condition):
        return sum(len(session.find(condition)) for session in self.sessions)

    def per(self, value):
        unit = self.query.get("per")
        if unit is None or value is None:
            return value
        if isinstance(unit, dict):
            return self.divide(value, sum(len(session.periods(unit["period"]["word"])) for session in self.sessions))
        if unit == "session":
            return self.divide(value, len(self.sessions))
        if unit == "life":
            subject = subject_of(self.query["find"]) or PLAYER
            return value / max(1, sum(len(session.lives(subject)[1]) for session in self.sessions))
        seconds = 0
        parts = [self.query["find"]] + self.query["find"].get("all", [])
        for session in self.sessions:
            bounds = [session.bounds(part["time"]) for part in parts if "time" in part]
            start = max([0] + [bound[0] for bound in bounds])
            end = min([session.duration] + [bound[1] for bound in bounds])
            seconds += max(0, end - start)
        return self.divide(value, seconds / {"second": 1, "minute": 60, "hour": 3600}[unit])

    def streak(self, session, matches):
        ends = [session.time(match[0]) for match in session.find(self.query["streak"])]
        longest = current = 0
        before = -math.inf
        for owner, match in matches:
            if owner is not session:
                continue
            t = session.time(match[0])
            current = 1 if any(before < end <= t for end in ends) else current + 1
            before = t
            longest = max(longest, current)
        return longest

    def values_at(self, session):
        """The value of each one of whom the session states the property, unless the query says of whom."""
        pattern = self.query["find"]
        owners = {}
        if "subject" not in pattern:
            for event in session.changes(pattern):
                subject = event["statement"]["subject"]
                mention = {"word": subject} if isinstance(subject, str) else subject
                slot = {"words": [mention["word"]], **({"name": mention["name"]} if "name" in mention else {})}
                owners.setdefault(self.name(subject), {"any": [slot]})
        if len(owners) < 2:
            return [self.at(session, pattern)]
        return [self.at(session, {**pattern, "subject": owner}) for owner in owners.values()]

    def at(self, session, pattern):
        at = self.query["at"]
        if isinstance(at, dict):
            periods = session.selected_periods(at["period"])
            if not periods:
                return None
            t = periods[0][0 if at["edge"] == "start" else 1]
        else:
            t = {"start": 0, "end": session.duration}.get(at, at)
        value = session.value_at(pattern, t, at != "start")
        # What is set at the start has no value before.
        return session.value_at(pattern, t, True) if value is None else value

    def measured(self, matches, quantity):
        if quantity == "held" and "period" in self.query["find"]:
            period = self.query["find"]["period"]
            found = []
            for session in self.sessions:
                periods = session.selected_periods(period)
                found += [(session, round(each[1] - each[0], 6), None) for each in periods]
            return found
        if quantity == "held":
            pattern = self.query["find"]["while"]
            return [(session, round(end - t, 6), None) for session in self.sessions for t, end in session.spans(pattern)]
        found = []
        for session in self.sessions:
            own = [match for owner, match in matches if owner is session]
            spawns, deaths = session.lives(subject_of(self.query["find"]) or PLAYER)
            for number, match in enumerate(own):
                statement, t = session.statement(match[0]), session.time(match[0])
                value = None
                if quantity == "count":
                    thing = statement.get("object")
                    value = thing.get("count", 1) if isinstance(thing, dict) else 1
                elif quantity == "amount":
                    value = statement.get("amount")
                elif quantity == "change":
                    before, after = statement.get("from"), statement.get("to")
                    if is_number(before) and is_number(after):
                        value = abs(after - before)
                elif quantity == "value":
                    value = statement.get("to")
                elif quantity == "time":
                    value = t
                elif quantity == "duration":
                    value = round(session.time(match[-1]) - t, 6)
                elif quantity == "gap":
                    if number + 1 < len(own):
                        value = round(session.time(own[number + 1][0]) - t, 6)
                elif quantity == "life":
                    starts = [spawn for spawn in spawns if spawn < t] or [death for death in deaths if death < t] or [0]
                    value = round(t - starts[-1], 6)
                elif quantity == "state":
                    value = session.value_at(self.query["state"], t, False)
                found.append((session, value, (session, match)))
        return found

    def groups(self, matches):
        members = {}
        for session, match in matches:
            labels = tuple(self.label(session, match[0], key) or "-" for key in self.query["by"])
            members.setdefault(labels, []).append((session, match))
        counts = {labels: self.number_of(own) for labels, own in members.items()}
        counts = {labels: count for labels, count in counts.items() if count is not None}
        if "ratio" in self.query:
            other = Evaluation(self.all_sessions, {"find": self.query["ratio"], "by": self.query["by"]})
            found = [(session, match) for session in self.all_sessions for match in session.find(self.query["ratio"])]
            divisors = {tuple(labels): count for labels, count in other.groups(found)["groups"]}
            counts = {labels: count / divisors.get(labels, 1) for labels, count in counts.items()}
        groups = sorted(counts.items(), key=lambda pair: (-pair[1], ",".join(pair[0])))
        if any(key in self.query for key in ("top", "bottom", "distinct")):
            groups = [group for group in groups if "-" not in group[0]]
        if "top" in self.query and groups:
            least = groups[min(self.query["top"], len(groups)) - 1][1] if self.query["top"] <= len(groups) else 0
            groups = [group for group in groups if group[1] >= least]
        elif "bottom" in self.query and groups:
            most = groups[-self.query["bottom"]][1] if self.query["bottom"] <= len(groups) else math.inf
            groups = [group for group in groups if group[1] <= most]
        if "distinct" in self.query:
            return {"value": len(groups)}
        return {"groups": [[list(labels), count] for labels, count in sorted(groups)]}

    def number_of(self, matches):
        """How many matches a group has, or what the query computes of them."""
        measure = self.query.get("measure")
        if measure is None or measure["take"] == "each":
            return self.per(len(matches))
        values = [value for _, value, _ in self.measured(matches, measure["of"]) if is_number(value)]
        return self.per(self.take(values, measure["take"]))

    def label(self, session, index, key):
        statement = session.statement(index)
        if "period" in key:
            periods = session.periods(key["period"]["word"])
            numbers = [n for n, each in enumerate(periods) if session.in_period(session.time(index), each)]
            return str(numbers[0] + 1) if numbers else None
        if "word" in key:
            fillers = session.fillers(index)
            if "property" in statement:
                fillers = fillers[::-1]
            for slot in fillers:
                word = slot if isinstance(slot, str) else slot["word"]
                if any(session.words.is_a(word, each, ["object"]) for each in key["word"]):
                    return self.name(slot)
            return None
        if "slot" in key:
            slot = key["slot"]
            if "property" in statement:
                if slot == "property":
                    return statement["property"]
                return self.name(statement["subject"]) if slot == "subject" else None
            if slot in ("subject", "object") and self.is_cause(session, statement["action"]):
                return self.name(statement.get("object")) if slot == "subject" else None
            return self.name(statement.get(slot))
        part = key["key"]
        if part == "action":
            return statement.get("action")
        if part == "minute":
            return str(math.floor(session.time(index) / 60))
        if part == "life":
            return str(1 + sum(death < session.time(index) for death in session.lives(PLAYER)[1]))
        if part == "name":
            names = [slot["name"] for slot in session.fillers(index) if isinstance(slot, dict) and "name" in slot]
            return names[0] if names else None
        return session.name if part == "session" else session.events[index]["game"]

    def is_cause(self, session, action):
        wanted = self.actions(self.query["find"])
        effect = session.words.effect(action)
        return (
            not any(session.words.is_a(action, each, ["action"]) for each in wanted)
            and effect is not None
            and any(session.words.is_a(effect, each, ["action"]) for each in wanted)
        )

    def actions(self, condition):
        if "action" in condition:
            return condition["action"]
        children = []
        for key in ("all", "any", "sequence"):
            if isinstance(condition.get(key), list):
                children += condition[key]
        children += [condition[key] for key in ("not", "of", "find", "near") if key in condition]
        return [action for child in children for action in self.actions(child)]

    @staticmethod
    def name(slot):
        if slot is None or isinstance(slot, str):
            return slot
        return slot["word"] + (" " + slot["name"] if "name" in slot else "")


def load(dictionaries, logs, name):
    sessions = []
    for each in name.split("+"):
        with open(os.path.join(logs, each + ".ndjson"), encoding="utf-8") as file:
            lines = [json.loads(line) for line in file if line.strip()]
        header = next(line for line in lines if line["type"] == "header")
        names = ["common"] + [entry["name"] for entry in header["dictionaries"] if entry["name"] != "common"]
        events = [line for line in lines if line["type"] == "event"]
        sessions.append(Session(Words(dictionaries, names), header, events))
    return sessions


def main():
    dictionaries, logs = sys.argv[1:3]
    loaded = {}
    for line in sys.stdin:
        request = json.loads(line)
        name = request["log"]
        if name not in loaded:
            loaded[name] = load(dictionaries, logs, name)
        print(json.dumps(Evaluation(loaded[name], request["query"]).answer()))


if __name__ == "__main__":
    main()
