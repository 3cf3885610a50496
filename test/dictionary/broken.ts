import * as fc from 'fast-check';

/** JSON values that look like parts of dictionaries, right and wrong. */
const scrap = fc.oneof(
  fc.constantFrom<unknown>(
    '',
    ' ',
    'gun',
    'thing',
    'act',
    'required',
    'none',
    'within',
    'a  b',
    '1.0.0',
    '^1.0.0',
    '?who',
    'ext:gun',
    '__proto__',
    'constructor',
    0,
    1,
    -1,
    0.5,
    true,
    null,
  ),
  fc.string({ maxLength: 8 }),
  fc.array(fc.constantFrom('gun', 'thing', 'laser', ''), { maxLength: 3 }),
  fc.dictionary(
    fc.constantFrom('use', 'accepts', 'preposition', 'name', 'definition', 'action', 'any', 'x'),
    fc.constantFrom<unknown>('required', ['thing'], 'into', 'gun', []),
    { maxKeys: 3 },
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

type Path = readonly (string | number)[];

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, [...path, key]))];
}

function changed(value: unknown, path: Path, change: (old: unknown) => unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return change(value);
  const copy: Record<string | number, unknown> = Array.isArray(value)
    ? (value.slice() as never)
    : { ...(value as object) };
  const inner = changed(copy[key], rest, change);
  if (inner === undefined) delete copy[key];
  else Object.defineProperty(copy, key, { value: inner, enumerable: true, configurable: true, writable: true });
  return Array.isArray(value) ? Object.values(copy) : copy;
}

/** `value` with one to four of its parts replaced, taken away, doubled or given another key. */
export function broken(value: unknown): fc.Arbitrary<unknown> {
  const one = fc.tuple(
    fc.nat(),
    fc.constantFrom('replace', 'remove', 'key', 'wrap'),
    fc.string({ maxLength: 6 }),
    scrap,
  );
  return fc.array(one, { minLength: 1, maxLength: 4 }).map((steps) =>
    steps.reduce<unknown>((current, [place, kind, key, piece]) => {
      const paths = pathsOf(current);
      const path = paths[place % paths.length]!;
      return changed(current, path, (old) => {
        if (kind === 'replace') return piece;
        if (kind === 'remove') return path.length === 0 ? piece : undefined;
        if (kind === 'wrap') return [old, old];
        return typeof old === 'object' && old !== null && !Array.isArray(old) ? { ...old, [key]: piece } : piece;
      });
    }, value),
  );
}
