import { messageOf, PlaybyplayError } from '../../../errors.ts';
import { openInput } from '../../../files/input.ts';

/** Limit of the size of one value that is read, in bytes: a poll of a whole match is a tenth. */
const MAX_ITEM_BYTES = 16 << 20;
/** Limit of the depth of arrays and objects. */
const MAX_DEPTH = 500;
/** Keys longer than this match no pattern. */
const MAX_KEY_BYTES = 200;

/** A value that was found in a JSON file. */
export interface JsonItem {
  /** Keys and indices that lead to it from its document. */
  readonly path: readonly (string | number)[];
  readonly value: unknown;
  /** Number of its document from 0: a file of lines of JSON has several. */
  readonly document: number;
  /** Where the value begins in the file, in bytes. */
  readonly offset: number;
}

/** An array or object that is open at the place that is being read. */
interface Level {
  readonly isArray: boolean;
  /** Patterns that may match within. */
  readonly patterns: readonly (readonly string[])[];
  key: string | undefined;
  index: number;
  isKeyExpected: boolean;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Reads values out of a JSON file of any size, or of a file of several JSON documents one after another (NDJSON). Only the
 * wanted values are parsed and held, one at a time.
 *
 * @param path The file.
 * @param patterns Which values: keys joined by dots, where `*` is any key or index, such as `frames.*`; `''` is the document.
 * @throws PlaybyplayError `log-not-json`, `log-too-large` for a value of more than 16 MiB. Values before it have been yielded.
 * @example
 * for await (const { value } of readJsonItems('timeline.json', ['entries.*'])) console.log(value);
 */
export async function* readJsonItems(
  path: string,
  patterns: readonly string[],
  signal?: AbortSignal,
): AsyncGenerator<JsonItem, void, undefined> {
  const scanner = new JsonScanner(
    path,
    patterns.map((pattern) => (pattern === '' ? [] : pattern.split('.'))),
  );
  await using file = await openInput(path);
  const chunks = file.createReadStream({ highWaterMark: 1 << 18, autoClose: false, ...(signal && { signal }) });
  for await (const chunk of chunks) yield* scanner.push(chunk as Buffer);
  yield* scanner.end();
}

class JsonScanner {
  readonly #file: string;
  readonly #patterns: readonly (readonly string[])[];
  /** Open arrays and objects whose keys matter. */
  readonly #levels: Level[] = [];
  /** Open arrays and objects within the value that is captured or skipped. */
  #depth = 0;
  #document = 0;
  #offset = 0;
  #isInString = false;
  #isEscaped = false;
  #isInScalar = false;
  #isKey = false;
  /** What is captured: a wanted value or a key. */
  #captured: Buffer[] | undefined;
  #capturedBytes = 0;
  #captureStart = 0;
  #isWanted = false;

  constructor(file: string, patterns: readonly (readonly string[])[]) {
    this.#file = file;
    this.#patterns = patterns;
  }

  *push(chunk: Buffer): Generator<JsonItem, void, undefined> {
    // Where what is captured begins in this chunk.
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) {
          this.#isInString = false;
          if (this.#isKey) {
            this.#levels.at(-1)!.key = this.#takeKey(chunk.subarray(from, at + 1));
            this.#isKey = false;
          } else if (this.#depth === 0) yield* this.#endValue(chunk.subarray(from, at + 1));
        }
        continue;
      }
      const isSpace = byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
      const isStructure = byte === COMMA || byte === CLOSE_ARRAY || byte === CLOSE_OBJECT || byte === COLON;
      if (this.#isInScalar) {
        if (!isSpace && !isStructure) continue;
        this.#isInScalar = false;
        if (this.#depth === 0) yield* this.#endValue(chunk.subarray(from, at));
      }
      if (isSpace) continue;
      const level = this.#levels.at(-1);
      const isInside = this.#depth > 0;
      if (byte === COLON) continue;
      if (byte === COMMA) {
        if (isInside || !level) continue;
        level.index++;
        level.isKeyExpected = !level.isArray;
        continue;
      }
      if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
        if (isInside) {
          if (--this.#depth === 0) yield* this.#endValue(chunk.subarray(from, at + 1));
        } else {
          if (!level) throw this.#notJson(this.#offset + at, 'a bracket is closed that was not opened');
          this.#levels.pop();
          if (this.#levels.length === 0) this.#document++;
        }
        continue;
      }
      if (!isInside && level?.isKeyExpected) {
        if (byte !== QUOTE) throw this.#notJson(this.#offset + at, 'a key is expected');
        level.isKeyExpected = false;
        this.#isInString = this.#isKey = true;
        this.#captured = [];
        this.#capturedBytes = 0;
        from = at;
        continue;
      }
      if (!isInside) {
        const isContainer = byte === OPEN_ARRAY || byte === OPEN_OBJECT;
        const patterns = this.#matching();
        this.#isWanted = patterns.some(({ length }) => length === 0);
        if (isContainer && !this.#isWanted && patterns.length > 0) {
          const isArray = byte === OPEN_ARRAY;
          this.#levels.push({ isArray, patterns, key: undefined, index: 0, isKeyExpected: !isArray });
          continue;
        }
        if (this.#isWanted) {
          this.#captured = [];
          this.#capturedBytes = 0;
          this.#captureStart = this.#offset + at;
          from = at;
        }
      }
      if (byte === QUOTE) this.#isInString = true;
      else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
        if (++this.#depth > MAX_DEPTH)
          throw this.#notJson(this.#offset + at, `it is nested more than ${MAX_DEPTH} deep`);
      } else this.#isInScalar = true;
    }
    if (this.#captured) this.#capture(chunk.subarray(from));
    this.#offset += chunk.length;
  }

  *end(): Generator<JsonItem, void, undefined> {
    if (this.#isInScalar && this.#depth === 0) yield* this.#endValue(Buffer.alloc(0));
    if (this.#isInString || this.#depth > 0 || this.#levels.length > 0)
      throw this.#notJson(this.#offset, 'it ends within a value');
  }

  /** What remains of the patterns that match the place of the value that begins. */
  #matching(): readonly (readonly string[])[] {
    const level = this.#levels.at(-1);
    if (!level) return this.#patterns;
    const key = level.isArray ? String(level.index) : level.key;
    return level.patterns
      .filter(([segment]) => segment !== undefined && (segment === '*' || segment === key))
      .map(([, ...rest]) => rest);
  }

  *#endValue(last: Buffer): Generator<JsonItem, void, undefined> {
    const path = this.#levels.map(({ isArray, index, key }) => (isArray ? index : (key ?? '')));
    if (this.#isWanted) {
      this.#capture(last);
      const text = Buffer.concat(this.#captured!).toString('utf8');
      this.#captured = undefined;
      this.#isWanted = false;
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch (error) {
        throw this.#notJson(this.#captureStart, messageOf(error));
      }
      yield { path, value, document: this.#document, offset: this.#captureStart };
    }
    if (this.#levels.length === 0) this.#document++;
  }

  #takeKey(last: Buffer): string | undefined {
    this.#capture(last);
    const bytes = this.#captured!;
    this.#captured = undefined;
    if (this.#capturedBytes > MAX_KEY_BYTES) return undefined;
    try {
      return JSON.parse(Buffer.concat(bytes).toString('utf8')) as string;
    } catch (error) {
      throw this.#notJson(this.#offset, messageOf(error));
    }
  }

  #capture(bytes: Buffer): void {
    this.#capturedBytes += bytes.length;
    if (this.#isKey && this.#capturedBytes > MAX_KEY_BYTES) return;
    if (this.#capturedBytes > MAX_ITEM_BYTES)
      throw new PlaybyplayError('log-too-large', `${this.#file} has a value of more than ${MAX_ITEM_BYTES >> 20} MiB`);
    // Chunks are used again by streams.
    this.#captured!.push(Buffer.from(bytes));
  }

  #notJson(offset: number, why: string): PlaybyplayError {
    return new PlaybyplayError('log-not-json', `${this.#file} is not JSON at byte ${offset}: ${why}`);
  }
}
