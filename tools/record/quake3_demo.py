"""Reads Quake III demo files (protocol 68 and OpenArena's 71): snapshots, server commands, config strings.

A demo is a sequence of server messages (sequence number, length, bytes). A message is a bit stream: odd bits are
stored plainly, whole bytes by an adaptive Huffman code that was primed with a fixed table of byte frequencies. The table
is read from the installed engine, so that nothing of it stands here.
"""
import json
import os
import struct

FREQUENCIES_START = struct.pack("<5i", 250315, 41193, 6292, 7106, 3730)


def frequencies(engine):
    data = open(engine, "rb").read()
    at = data.find(FREQUENCIES_START)
    if at < 0:
        raise SystemExit(f"{engine}: no table of byte frequencies in it")
    return struct.unpack_from("<256i", data, at)


class AdaptiveHuffman:
    """FGK coding: nodes in order of weight; an incremented node first moves to the end of its block of equal weight."""

    def __init__(self):
        self.order = [0]  # node at each rank, lightest first
        self.rank = [0]
        self.weight = [0]
        self.parent = [-1]
        self.children = [None]
        self.symbol = [None]
        self.leaf = {}
        self.nyt = 0
        self.leader = {0: 0}  # highest rank of each weight

    def add(self, symbol):
        if symbol in self.leaf:
            self.increment(self.leaf[symbol])
            return
        # The "not yet transmitted" node becomes an inner node with itself (new, left) and the leaf (right).
        old = self.nyt
        fresh = len(self.rank)
        for parent in (old, old):
            self.parent.append(parent)
            self.weight.append(0)
            self.children.append(None)
            self.symbol.append(None)
            self.rank.append(0)
        nyt, leaf = fresh, fresh + 1
        self.order = [nyt, leaf] + self.order
        for i, node in enumerate(self.order):
            self.rank[node] = i
        self.children[old] = [nyt, leaf]
        self.symbol[leaf] = symbol
        self.leaf[symbol] = leaf
        self.nyt = nyt
        self.weight[leaf] = 1
        self.weight[old] = 1
        self.leader = {}
        for i, node in enumerate(self.order):
            self.leader[self.weight[node]] = i
        if self.parent[old] >= 0:
            self.increment(self.parent[old])

    def increment(self, node):
        while node >= 0:
            weight = self.weight[node]
            top = self.leader[weight]
            other = self.order[top]
            if other != node and other == self.parent[node] and top - 1 != self.rank[node]:
                # The parent leads the block: the node goes right below it.
                top -= 1
                other = self.order[top]
            if other != node and other != self.parent[node]:
                self.swap(node, other)
            rank = self.rank[node]
            parent = self.parent[node]
            if self.leader[weight] == rank:
                below = rank - 1
                if below >= 0 and self.weight[self.order[below]] == weight:
                    self.leader[weight] = below
                else:
                    del self.leader[weight]
                self.weight[node] = weight + 1
                self.leader.setdefault(weight + 1, rank)
            else:
                # Right below its parent, the leader, which is incremented next: both move up together.
                self.weight[node] = weight + 1
                self.weight[parent] = weight + 1
                if rank - 1 >= 0 and self.weight[self.order[rank - 1]] == weight:
                    self.leader[weight] = rank - 1
                else:
                    del self.leader[weight]
                self.leader.setdefault(weight + 1, rank + 1)
                parent = self.parent[parent]
            node = parent

    def swap(self, a, b):
        ra, rb = self.rank[a], self.rank[b]
        self.order[ra], self.order[rb] = b, a
        self.rank[a], self.rank[b] = rb, ra
        pa, pb = self.parent[a], self.parent[b]
        ia, ib = self.children[pa].index(a), self.children[pb].index(b)
        self.children[pa][ia] = b
        self.children[pb][ib] = a
        self.parent[a], self.parent[b] = pb, pa

    def tree(self, node=None):
        if node is None:
            node = self.order[-1]
        if self.symbol[node] is not None:
            return self.symbol[node]
        if self.children[node] is None:
            return None
        return [self.tree(child) for child in self.children[node]]


def code_tree(engine, cache):
    if not os.path.exists(cache):
        coder = AdaptiveHuffman()
        for byte, count in enumerate(frequencies(engine)):
            for _ in range(count):
                coder.add(byte)
        json.dump(coder.tree(), open(cache, "w"))
    return json.load(open(cache))


class Bits:
    def __init__(self, data, tree):
        self.data, self.tree, self.at, self.size = data, tree, 0, len(data) * 8

    def bit(self):
        if self.at >= self.size:
            raise EOFError
        value = self.data[self.at >> 3] >> (self.at & 7) & 1
        self.at += 1
        return value

    def bits(self, count):
        signed, count = count < 0, abs(count)
        value = shift = 0
        while shift < (count & 7):
            value |= self.bit() << shift
            shift += 1
        while shift < count:
            node = self.tree
            while isinstance(node, list):
                node = node[self.bit()]
            value |= (node or 0) << shift
            shift += 8
        if signed and value >> (count - 1):
            value -= 1 << count
        return value

    def byte(self):
        return self.bits(8)

    def short(self):
        return self.bits(-16)

    def long(self):
        return self.bits(-32)

    def string(self):
        out = bytearray()
        while (c := self.byte()) != 0:
            out.append(c)
        return out.decode("latin-1")


# Order and width in bits of the fields on the wire; 0 is a float, negative is signed.
ENTITY = """pos.trTime:32 pos.trBase0:0 pos.trBase1:0 pos.trDelta0:0 pos.trDelta1:0 pos.trBase2:0 apos.trBase1:0 pos.trDelta2:0
apos.trBase0:0 event:10 angles2_1:0 eType:8 torsoAnim:8 eventParm:8 legsAnim:8 groundEntityNum:10 pos.trType:8 eFlags:19
otherEntityNum:10 weapon:8 clientNum:8 angles1:0 pos.trDuration:32 apos.trType:8 origin0:0 origin1:0 origin2:0 solid:24
powerups:16 modelindex:8 otherEntityNum2:10 loopSound:8 generic1:8 origin2_2:0 origin2_0:0 origin2_1:0 modelindex2:8
angles0:0 time:32 apos.trTime:32 apos.trDuration:32 apos.trBase2:0 apos.trDelta0:0 apos.trDelta1:0 apos.trDelta2:0
time2:32 angles2:0 angles2_0:0 angles2_2:0 constantLight:32 frame:16"""
PLAYER = """commandTime:32 origin0:0 origin1:0 bobCycle:8 velocity0:0 velocity1:0 viewangles1:0 viewangles0:0 weaponTime:-16
origin2:0 velocity2:0 legsTimer:8 pm_time:-16 eventSequence:16 torsoAnim:8 movementDir:4 events0:8 legsAnim:8 events1:8
pm_flags:16 groundEntityNum:10 weaponstate:4 eFlags:16 externalEvent:10 gravity:16 speed:16 delta_angles1:16
externalEventParm:8 viewheight:-8 damageEvent:8 damageYaw:8 damagePitch:8 damageCount:8 generic1:8 pm_type:8
delta_angles0:16 delta_angles2:16 torsoTimer:12 eventParms0:8 eventParms1:8 clientNum:8 weapon:5 viewangles2:0
grapplePoint0:0 grapplePoint1:0 grapplePoint2:0 jumppad_ent:10 loopSound:16"""


def fields(text):
    return [(name, int(bits)) for name, bits in (item.rsplit(":", 1) for item in text.split())]


ENTITY, PLAYER = fields(ENTITY), fields(PLAYER)
FLOAT_BITS, FLOAT_BIAS = 13, 4096
NOBODY = 1023


def read_float(bits):
    if bits.bit() == 0:
        return float(bits.bits(FLOAT_BITS) - FLOAT_BIAS)
    return struct.unpack("<f", struct.pack("<I", bits.bits(32) & 0xFFFFFFFF))[0]


def read_entity(bits, base):
    """The entity's state after the delta; None: it was removed."""
    if bits.bit():
        return None
    if not bits.bit():
        return base
    state = dict(base)
    for name, width in ENTITY[: bits.byte()]:
        if not bits.bit():
            continue
        if width == 0:
            state[name] = read_float(bits) if bits.bit() else 0.0
        else:
            state[name] = bits.bits(width) if bits.bit() else 0
    return state


def read_player(bits, base):
    state = {**base, **{key: dict(base.get(key, {})) for key in ("stats", "persistant", "ammo", "powerup_ends")}}
    for name, width in PLAYER[: bits.byte()]:
        if bits.bit():
            state[name] = read_float(bits) if width == 0 else bits.bits(width)
    if bits.bit():
        for key in ("stats", "persistant", "ammo", "powerup_ends"):
            if bits.bit():
                mask = bits.bits(16)
                for i in range(16):
                    if mask >> i & 1:
                        state[key][i] = bits.long() if key == "powerup_ends" else bits.short()
    return state


class Demo:
    """Iterating yields ('command', sequence, text) and ('snapshot', {time, player, entities}) in order of the file."""

    def __init__(self, path, tree):
        self.data, self.tree = open(path, "rb").read(), tree
        self.strings, self.baselines, self.snapshots, self.commands = {}, {}, {}, -1
        self.end = 0  # of the message that is being read, in the file

    def __iter__(self):
        at = 0
        while at + 8 <= len(self.data):
            sequence, size = struct.unpack_from("<ii", self.data, at)
            at += 8
            if size < 0:
                return
            self.end = at + size
            yield from self.message(sequence, Bits(self.data[at : at + size], self.tree))
            at += size

    def message(self, sequence, bits):
        bits.long()
        while True:
            kind = bits.byte()
            if kind in (1,):
                continue
            if kind == 8:
                return
            if kind == 2:
                self.gamestate(bits)
                yield ("gamestate", dict(self.strings))
            elif kind == 5:
                number, text = bits.long(), bits.string()
                if number > self.commands:
                    self.commands = number
                    yield ("command", number, text)
            elif kind == 7:
                snapshot = self.snapshot(sequence, bits)
                if snapshot:
                    yield ("snapshot", snapshot)
            else:
                raise ValueError(f"message {sequence}: unknown command {kind} at bit {bits.at}")

    def gamestate(self, bits):
        self.strings, self.baselines, self.snapshots = {}, {}, {}
        self.commands = bits.long()
        while (kind := bits.byte()) != 8:
            if kind == 3:
                index = bits.bits(16)
                self.strings[index] = bits.string()
            elif kind == 4:
                number = bits.bits(10)
                self.baselines[number] = read_entity(bits, {}) or {}
            else:
                raise ValueError(f"gamestate: unknown command {kind}")
        self.client = bits.long()
        bits.long()

    def snapshot(self, sequence, bits):
        time, delta, flags = bits.long(), bits.byte(), bits.byte()
        base = self.snapshots.get(sequence - delta) if delta else None
        valid = not delta or base is not None
        for _ in range(bits.byte()):
            bits.byte()
        player = read_player(bits, base["player"] if base else {})
        entities = dict(base["entities"]) if base else {}
        while (number := bits.bits(10)) != NOBODY:
            state = read_entity(bits, entities.get(number) or self.baselines.get(number, {}))
            if state is None:
                entities.pop(number, None)
            else:
                entities[number] = state
        if not valid:
            return None
        snapshot = {"time": time, "flags": flags, "player": player, "entities": entities}
        self.snapshots[sequence] = snapshot
        self.snapshots.pop(sequence - 64, None)
        return snapshot
