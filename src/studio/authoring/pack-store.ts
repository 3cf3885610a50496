/** New contents by path within the pack, with forward slashes; null removes the file. */
export type PackEdits = ReadonlyMap<string, string | Uint8Array | null>;

/** The files of a pack that is being written: where they lie, and how a step is saved so that it can be undone. */
export interface PackStore {
  /** Absolute path of the pack's folder. */
  readonly root: string;
  /** Reads a file; undefined if there is none. */
  read(path: string): Promise<Uint8Array | undefined>;
  /**
   * Saves files as one step.
   *
   * @param label What was done, as undo names it.
   * @param base Contents that the step was made from, by path: where a file has another one, nothing is saved.
   * @throws PlaybyplayError `file-changed`.
   */
  change(label: string, edits: PackEdits, base?: ReadonlyMap<string, Uint8Array | undefined>): Promise<void>;
}

/** What a step changed in a file. */
export interface FileDiff {
  readonly path: string;
  /** Changed lines with up to three lines around them; none for files that nobody reads, such as fonts. */
  readonly lines: readonly DiffLine[];
}

/** A line of a difference. */
export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed' | 'skipped';
  readonly text: string;
}

/** Compares a file before and after a step. */
export function diffFile(path: string, before: Uint8Array | undefined, after: string | Uint8Array | null): FileDiff {
  if (!isReadable(path)) return { path, lines: [] };
  const [old, current] = [before ?? '', after ?? ''].map((content) => Buffer.from(content as Uint8Array).toString());
  return { path, lines: diffLines(old!, current!) };
}

function isReadable(path: string): boolean {
  return /\.(?:json|ndjson|js|txt|md)$/.test(path) && !/(?:^|\/)fonts\//.test(path) && !path.endsWith('discovery.json');
}

const CONTEXT_LINES = 3;
/** Lines beyond which the parts that differ are not compared line by line. */
const MAX_COMPARED_LINES = 2000;

/** Compares two texts line by line: a longest common subsequence of the part that differs. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [old, current] = [toLines(before), toLines(after)];
  let start = 0;
  while (start < old.length && start < current.length && old[start] === current[start]) start++;
  let [oldEnd, end] = [old.length, current.length];
  while (oldEnd > start && end > start && old[oldEnd - 1] === current[end - 1]) [oldEnd, end] = [oldEnd - 1, end - 1];
  if (oldEnd === start && end === start) return [];
  return withoutFarLines([
    ...old.slice(0, start).map(same),
    ...compareLines(old.slice(start, oldEnd), current.slice(start, end)),
    ...old.slice(oldEnd).map(same),
  ]);
}

function same(text: string): DiffLine {
  return { kind: 'same', text };
}

function toLines(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function compareLines(old: readonly string[], current: readonly string[]): readonly DiffLine[] {
  const removed = old.map((text): DiffLine => ({ kind: 'removed', text }));
  const added = current.map((text): DiffLine => ({ kind: 'added', text }));
  if (old.length * current.length === 0 || old.length + current.length > MAX_COMPARED_LINES)
    return [...removed, ...added];
  const width = current.length + 1;
  // By the remaining lines of both: how many they have in common.
  const common = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = current.length - 1; j >= 0; j--)
      common[i * width + j] =
        old[i] === current[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < current.length) {
    if (i < old.length && j < current.length && old[i] === current[j]) {
      lines.push({ kind: 'same', text: old[i]! });
      [i, j] = [i + 1, j + 1];
    } else if (j >= current.length || (i < old.length && common[(i + 1) * width + j]! >= common[i * width + j + 1]!))
      lines.push(removed[i++]!);
    else lines.push(added[j++]!);
  }
  return lines;
}

/** Replaces lines that are far from every change by one line. */
function withoutFarLines(lines: readonly DiffLine[]): readonly DiffLine[] {
  const isNear = lines.map((_, at) =>
    lines.slice(Math.max(0, at - CONTEXT_LINES), at + CONTEXT_LINES + 1).some(({ kind }) => kind !== 'same'),
  );
  return lines.flatMap((line, at) => {
    if (isNear[at]) return [line];
    return at === 0 || isNear[at - 1] ? [{ kind: 'skipped' as const, text: '…' }] : [];
  });
}
