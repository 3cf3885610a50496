"""The session metric once more, in another language and from the specification alone (numpy; O(frames x window)).

    python3 bench/quality/reference.py --random SEED FPS FRAMES OUT   writes OUT.server.ndjson and OUT.client.ndjson:
        clocks apart and drifting, records lost, late and out of order, fields missing, frames dropped, bitrates changing
    python3 bench/quality/reference.py FILE...                        scores them, as `playbyplay quality FILE... --json`
    python3 bench/quality/reference.py --compare OUTPUT FILE...       differences to what --json --series printed
"""
import json, math, random, sys
import numpy as np

X = [0, .01, .025, .05, .1, .2, .4, .8, 1.608]
Y = [0, 15, 35, 55, 78, 92, 97, 99, 100]


def load(paths):
    header, records = {}, {}
    for path in paths:
        for line in open(path, encoding='utf-8-sig'):
            try:
                fields = json.loads(line)
            except ValueError:
                continue
            if 'frame' not in fields:
                for key, value in fields.items():
                    header.setdefault(key, value)
                continue
            record = records.setdefault(fields['frame'], {})
            for key, value in fields.items():
                if value is not None:
                    record.setdefault(key, value)
    return header, [records[frame] for frame in sorted(records)]


def picture_curve(x):
    """Monotone cubic (Fritsch and Butland) through the points."""
    h, n = np.diff(X), len(X)
    d = np.diff(Y) / h
    m = np.zeros(n)
    for i in range(1, n - 1):
        if d[i - 1] * d[i] > 0:
            a, b = 2 * h[i] + h[i - 1], h[i] + 2 * h[i - 1]
            m[i] = (a + b) / (a / d[i - 1] + b / d[i])

    def end(h0, h1, d0, d1):
        t = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1)
        if np.sign(t) != np.sign(d0):
            return 0
        return 3 * d0 if np.sign(d0) != np.sign(d1) and abs(t) > 3 * abs(d0) else t
    m[0], m[-1] = end(h[0], h[1], d[0], d[1]), end(h[-1], h[-2], d[-1], d[-2])
    if x >= X[-1]:
        return Y[-1]
    i = max(k for k in range(n - 1) if X[k] <= x)
    t = (x - X[i]) / h[i]
    return ((1 + 2 * t) * (1 - t) ** 2 * Y[i] + t * (1 - t) ** 2 * h[i] * m[i]
            + t * t * (3 - 2 * t) * Y[i + 1] + t * t * (t - 1) * h[i] * m[i + 1])


def score(paths):
    header, records = load(paths)
    fps, count = header['fps'], len(records)

    def deltas(key):
        last, out = None, []
        for record in records:
            now = record.get(key)
            out.append(None if now is None or last is None else now - last)
            last = last if now is None else now
        return out

    def filled(values):
        last, out = None, []
        for value in values:
            last = last if value is None else value
            out.append(last)
        return out
    trip = [r['returned'] - (r['transmitted'] + (r['presented'] - r['received']))
            if all(k in r for k in ('returned', 'transmitted', 'presented', 'received')) else None for r in records]
    stack = [r['presented'] - min(r['inputs']) if r.get('inputs') and 'presented' in r else None for r in records]
    raws = [filled(one) for one in (deltas('captured'), deltas('presented'), trip, stack)]
    least, most = 1.5 * 1000 / fps, 116
    if least > most:
        most = 2 * least

    def stutter(v):
        return (100 if v < least else max(0, 50 - 50 / (most - least) * (v - least)),
                min(100, max(1, 1 + 99 * (v - least) / (most - least))))

    def latency(v):
        return min(100, max(0, 100 - v)), min(200, max(1, v / 10))
    judged = [[None if v is None else (stutter if c < 2 else latency)(v) for v in raws[c]] for c in range(4)]

    def cws(x):
        sums, weights = [0.] * count, [0.] * count
        for component in judged:
            products = np.array([0 if one is None else one[0] * one[1] for one in component])
            own = np.array([0 if one is None else one[1] for one in component])
            for i, one in enumerate(component):
                if one is None:
                    continue
                window = slice(max(0, i - x + 1), i + 1)
                rolling = math.fsum(products[window]) / math.fsum(own[window])
                sums[i] += min(one[0], rolling) * one[1]
                weights[i] += one[1]
        return np.array([s / w if w else np.nan for s, w in zip(sums, weights)])

    def combined(series, y, z):
        out = np.full(count, np.nan)
        for i in np.flatnonzero(~np.isnan(series)):
            window = series[max(0, i - y + 1):i + 1]
            window = window[~np.isnan(window)]
            out[i] = window.mean() - z * window.std()
        return out

    def frames(at60):
        return round(at60 * fps / 60)
    base = combined(cws(frames(600)), frames(3600), 6)
    offset = combined(cws(frames(3600)), frames(600), 4)
    active, first, now, frequency = set(), None, None, []
    for record in records:
        active.update(math.floor(time / 100) for time in record.get('inputs') or [])
        if 'presented' in record:
            now = record['presented'] if now is None else max(now, record['presented'])
            first = math.floor(now / 100) if first is None else first
        last = None if now is None else math.floor(now / 100)
        passed = range(0) if last is None else range(max(first, last - 99), last + 1)
        share = 100 * sum(k in active for k in passed) / max(1, len(passed))
        frequency.append(max(1, math.floor(share + 0.5)))
    known = ~np.isnan(base)
    level = float(np.average(base[known], weights=np.array(frequency)[known]))
    unrest = float(offset[~np.isnan(offset)].std())
    bitrate, pictures = header.get('targetBitrate'), []
    for record in records:
        bitrate = record.get('targetBitrate', bitrate)
        if bitrate is not None:
            pictures.append(picture_curve(bitrate / (header['width'] * header['height'] * fps)))
    picture = float(np.mean(pictures) - 1.5 * np.std(pictures)) if pictures else None
    raw = None if picture is None else picture + level - unrest
    total = min(100, max(0, level - unrest if raw is None else raw / 2))
    figures = dict(total=total, raw=raw, picture=picture, stutterLatency=level - unrest, base=level, offset=unrest)
    return dict(figures, frames=count), dict(base=base, offset=offset, inputFrequency=np.array(frequency))


def write_random(seed, fps, count, out):
    chance = random.Random(seed)
    server, client = [], []
    apart, rate = chance.uniform(-1e9, 1e9), 1 + chance.uniform(-5e-5, 5e-5)
    captured, spike, bitrate = chance.uniform(0, 1e6), 0., 2e7
    for frame in range(count):
        captured += 1000 / fps * (chance.uniform(.85, 1.15) if chance.random() > .02 else chance.uniform(1.5, 12))
        if chance.random() < .004:
            spike = chance.uniform(20, 200)
        spike *= .9
        sent = captured + chance.uniform(5, 9)
        received = sent + 10 + chance.expovariate(.2) + spike
        presented = received + 5 + chance.uniform(1, 8)
        own = dict(frame=frame, rendered=captured - 2, captured=captured, encoded=captured + 4, transmitted=sent,
                   returned=presented + 8 + chance.expovariate(.3))
        other = dict(frame=frame, received=received * rate + apart, decoded=(received + 3) * rate + apart,
                     clientRendered=(received + 5) * rate + apart, presented=presented * rate + apart)
        if (frame // (fps * 7)) % 2 == 0 and chance.random() < .3:
            other['inputs'] = [(presented - chance.uniform(30, 140)) * rate + apart for _ in range(chance.choice([1, 1, 2, 3]))]
        elif chance.random() < .1:
            other['inputs'] = []
        if chance.random() < .02:
            del other['presented'], other['clientRendered']
        if chance.random() < .02:
            own['captured'] = None
        if chance.random() < .03:
            del own['returned']
        if chance.random() < .002:
            own['targetBitrate'] = bitrate = chance.uniform(1e6, 4e7)
        if chance.random() > .01:
            server.append(own)
        if chance.random() > .015:
            client.append(other)
    header = dict(fps=fps, width=1920, height=1080, targetBitrate=20_000_000)
    for name, lines in (('server', server), ('client', client)):
        late = {i: i + chance.uniform(0, 40) * (chance.random() < .2) for i in range(len(lines))}
        with open(f'{out}.{name}.ndjson', 'w') as file:
            for line in [header, *(lines[i] for i in sorted(late, key=late.get))]:
                file.write(json.dumps(line) + '\n')


if __name__ == '__main__':
    if sys.argv[1] == '--random':
        write_random(int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
    elif sys.argv[1] == '--compare':
        theirs = json.load(open(sys.argv[2]))
        figures, series = score(sys.argv[3:])
        for name, value in figures.items():
            print(f'{name:16}{theirs[name]!s:24}{value!s:24}{abs(theirs[name] - value):.1e}')
        for name, values in series.items():
            own = np.array([frame.get(name, np.nan) for frame in theirs['series']], float)
            print(f'series {name:16} differs by at most {np.nanmax(np.abs(own - values)):.1e} over {len(own)} frames')
    else:
        print(json.dumps(score(sys.argv[1:])[0]))
