import type { Box, ElementLine, EventLine, Truth } from './truth.ts';

/** An element of a draft. */
export interface DraftField {
  readonly id: string;
  readonly type: string;
  readonly rect: Box;
  /** Of a part of a row: the region of the row, and which part it is. */
  readonly row?: { readonly rect: Box; readonly part: number };
  readonly pictures?: readonly { readonly t: number; readonly between?: readonly [string, string] }[];
}

/** What became of an element of the HUD. */
export interface ElementResult {
  readonly id: string;
  readonly kind: string;
  readonly font: string;
  readonly isFound: boolean;
  readonly isTyped: boolean;
  /** The type that the draft gave it. */
  readonly type?: string;
}

/** What became of an event that was looked for, or of one that was reported. */
export interface EventResult {
  readonly element: string;
  readonly name: string;
  readonly font: string;
  readonly t: number;
  readonly isRight: boolean;
  readonly text: string;
  /** Of a right event that names the picture of an icon: whether it is what the icon shows. */
  readonly isPictureRight?: boolean;
}

/** An event of a log. */
export interface LogEvent {
  readonly t: number;
  readonly text: string;
  readonly statement: Readonly<Record<string, unknown>>;
  /** Regions of the detectors that saw it. */
  readonly boxes: readonly Box[];
  /** The element that it is about, where its place moves and says nothing. */
  readonly element?: string | undefined;
}

/** Seconds visible below which nobody can learn an element. */
const MIN_VISIBLE_SECONDS = 2;
/** Overlap (intersection over union) of a field and an element that are one. */
const MIN_OVERLAP = 0.3;
/** The same for areas whose extent depends on what they happen to show. */
const MIN_AREA_OVERLAP = 0.12;
/** Share of a field in an element of which it is a part. */
const MIN_INSIDE = 0.5;
/** Seconds by which an event may be early or late. */
const [EARLY, LATE] = [1, 2.5];
/** Changes of one element that follow each other this fast are one event: a burst of shots. */
const BURST_SECONDS = 1;
/** Change of a gauge that is an event. */
const MIN_LEVEL_CHANGE = 0.05;
const MAX_LEVEL_ERROR = 0.06;

function intersection(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return width > 0 && height > 0 ? width * height : 0;
}

function overlap(a: Box, b: Box): number {
  const common = intersection(a, b);
  return common / (a.width * a.height + b.width * b.height - common);
}

/** Share of a rectangle that lies in another. */
export function insideShare(part: Box, whole: Box): number {
  return intersection(part, whole) / (part.width * part.height);
}

/** The rectangle that holds two. */
export function union(a: Box, b: Box): Box {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  const right = Math.max(a.x + a.width, b.x + b.width);
  return { x, y, width: right - x, height: Math.max(a.y + a.height, b.y + b.height) - y };
}

/** The boxes that stand for an element: without and with a caption that is drawn apart. */
function boxesOf({ box, captionBox }: ElementLine): readonly Box[] {
  return captionBox ? [box, union(box, captionBox)] : [box];
}

function isArea({ kind }: ElementLine): boolean {
  return kind === 'feed' || kind === 'message';
}

/** How well a field fits an element, 0…1; 0 where it is something else. */
export function fit(rect: Box, element: ElementLine): number {
  const best = Math.max(...boxesOf(element).map((box) => overlap(rect, box)));
  const isLike = isArea(element)
    ? best >= MIN_AREA_OVERLAP && insideShare(rect, element.box) >= MIN_INSIDE
    : best >= MIN_OVERLAP;
  return isLike ? best : 0;
}

/** The element that a field or region shows. */
export function elementAt(rect: Box, elements: readonly ElementLine[]): ElementLine | undefined {
  const ranked = elements
    .map((element) => ({ element, quality: fit(rect, element) }))
    .toSorted((a, b) => b.quality - a.quality);
  return ranked[0] && ranked[0].quality > 0 ? ranked[0].element : undefined;
}

/** Compares the fields of a draft with the truth of the recording that it is made from. */
export function compareElements(
  fields: readonly DraftField[],
  truth: Truth,
): {
  readonly elements: readonly ElementResult[];
  readonly falseFields: readonly DraftField[];
  readonly fields: number;
} {
  const elements = truth.elements.filter(
    ({ visible }) => visible.reduce((sum, [from, to]) => sum + to - from, 0) >= MIN_VISIBLE_SECONDS,
  );
  const real = fields.filter(({ type }) => type !== 'label');
  const results = elements.map((element): ElementResult => {
    const own = real
      .filter(({ rect }) => elementAt(rect, elements) === element)
      .toSorted((a, b) => fit(b.rect, element) - fit(a.rect, element));
    const typed = own.find(({ type }) => type === element.kind) ?? own[0];
    return {
      id: element.id,
      kind: element.kind,
      font: element.font ?? '',
      isFound: typed !== undefined,
      isTyped: typed?.type === element.kind,
      ...(typed ? { type: typed.type } : {}),
    };
  });
  const places = [
    ...truth.elements.flatMap((element) => boxesOf(element)),
    ...truth.elements.flatMap(({ captionBox }) => (captionBox ? [captionBox] : [])),
  ];
  const labels = [...places, ...truth.decor.map(({ box }) => box)];
  // A part of an element, such as a row of a feed, is not false.
  const falseFields = fields.filter(
    ({ type, rect }) => !(type === 'label' ? labels : places).some((box) => insideShare(rect, box) >= MIN_INSIDE),
  );
  return { elements: results, falseFields, fields: fields.length };
}

/** Letters and digits of a text. */
export function plain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** The numbers of a value: one, or both of a fraction. */
function numbersOf(value: number | string | null | undefined): readonly number[] {
  if (typeof value === 'number') return [value];
  return (value ?? '').match(/\d+(?:\.\d+)?/g)?.map(Number) ?? [];
}

function same(a: number, b: number): boolean {
  return Math.abs(a - b) < 0.006;
}

/** Whether a value of a statement is what an element shows. */
function agrees(said: unknown, value: number | string | null, kind: string): boolean {
  if (value === null) return false;
  const number = typeof said === 'number' ? said : Number.NaN;
  if (kind === 'gauge') {
    const level = number > 1 ? number / 100 : number;
    return Math.abs(level - Number(value)) <= MAX_LEVEL_ERROR;
  }
  if (Number.isNaN(number)) return typeof said === 'string' && plain(said) === plain(String(value));
  return numbersOf(value).some((one) => same(one, number));
}

/** Changes a minute from which a value is a measurement, not a matter of events: mana that comes back every second. */
const MAX_CHANGES_PER_MINUTE = 40;

/** The elements that change all the time. */
function restlessElements({ elements, values }: Truth): ReadonlySet<string> {
  const counts = Map.groupBy(values, ({ element }) => element);
  return new Set(
    elements.flatMap(({ id, isRestless, visible, kind }) => {
      const minutes = visible.reduce((sum, [from, to]) => sum + to - from, 0) / 60;
      const isOften = (counts.get(id)?.length ?? 0) > MAX_CHANGES_PER_MINUTE * Math.max(0.25, minutes);
      return isRestless === true || (isOften && kind !== 'clock' && kind !== 'icon') ? [id] : [];
    }),
  );
}

/** The truth of an event as it is looked for: changes in quick succession are one. */
function expectedEvents(truth: Truth, restless: ReadonlySet<string>): readonly EventLine[] {
  const found: EventLine[] = [];
  const open = new Map<string, { first: EventLine; last: EventLine }>();
  const close = (element: string): void => {
    const burst = open.get(element);
    if (!burst) return;
    open.delete(element);
    const { first, last } = burst;
    if (first.from === last.to) return;
    if (last.name === 'level' && Math.abs(Number(last.to) - Number(first.from)) < MIN_LEVEL_CHANGE) return;
    found.push({ ...last, from: first.from! });
  };
  for (const event of truth.events) {
    const { element, name, t } = event;
    if (element === undefined || restless.has(element)) continue;
    if (name !== 'change' && name !== 'level') {
      found.push(event);
      continue;
    }
    const burst = open.get(element);
    if (burst && t - burst.last.t < BURST_SECONDS) burst.last = event;
    else {
      close(element);
      open.set(element, { first: event, last: event });
    }
  }
  for (const element of open.keys()) close(element);
  return found.toSorted((a, b) => a.t - b.t);
}

/** What a log event says, in the terms of the truth. */
interface Said {
  readonly event: LogEvent;
  readonly element: ElementLine | undefined;
  readonly name: string;
  readonly to: unknown;
}

function readStatement(event: LogEvent, elements: readonly ElementLine[]): Said {
  const { statement, boxes } = event;
  const element =
    event.element === undefined
      ? boxes.map((box) => elementAt(box, elements)).find((one) => one !== undefined)
      : elements.find(({ id }) => id === event.element);
  const subject = statement['subject'] as { readonly name?: unknown } | undefined;
  if (statement['property'] !== undefined)
    return { event, element, name: element?.kind === 'gauge' ? 'level' : 'change', to: statement['to'] };
  if (element?.kind === 'clock' || statement['action'] === 'halt')
    return { event, element, name: 'halt', to: statement['amount'] };
  if (element?.kind === 'feed') return { event, element, name: 'kill', to: event.text };
  if (element?.kind === 'icon') return { event, element, name: 'switch', to: event.text };
  return { event, element, name: 'message', to: subject?.name ?? event.text };
}

/** Whether a log event says what a true event is. */
function tells(said: Said, truth: EventLine): boolean {
  const { event, element, name, to } = said;
  if (element?.id !== truth.element || name !== truth.name) return false;
  const until = Math.max(truth.t, name === 'kill' || name === 'message' ? (truth.until ?? truth.t) : truth.t);
  if (event.t < truth.t - EARLY || event.t > until + LATE) return false;
  switch (name) {
    case 'message':
      return plain(String(to)) === plain(truth.text!);
    case 'kill':
      return [truth.killer!, truth.victim!].every((one) => plain(event.text).includes(plain(one)));
    case 'switch':
      return true;
    default:
      return agrees(to, truth.to ?? null, element?.kind ?? '');
  }
}

/** Whether the picture that a statement names is what the true event shows; undefined where it names none. */
function isPictureRight({ name, event: { statement } }: Said, truth: EventLine): boolean | undefined {
  const [part, shown] = name === 'kill' ? ['with', truth.weapon] : ['object', truth.to];
  if ((name !== 'kill' && name !== 'switch') || shown === undefined) return undefined;
  const picture = statement[part!] as { readonly name?: unknown } | undefined;
  return picture?.name === undefined ? undefined : plain(String(picture.name)) === plain(String(shown));
}

/** Compares the events of a log with truth. */
export function compareEvents(
  log: readonly LogEvent[],
  truth: Truth,
): { readonly expected: readonly EventResult[]; readonly reported: readonly EventResult[] } {
  const restless = restlessElements(truth);
  const expectedList = expectedEvents(truth, restless);
  const said = log.map((event) => readStatement(event, truth.elements));
  const fontOf = (id: string | undefined): string => truth.elements.find((one) => one.id === id)?.font ?? '';
  const expected = expectedList.map(
    (event): EventResult => ({
      element: event.element!,
      name: event.name,
      font: fontOf(event.element),
      t: event.t,
      isRight: said.some((one) => tells(one, event)),
      text:
        event.text ??
        (event.killer === undefined
          ? event.from === undefined
            ? String(event.to)
            : `${event.from} → ${event.to}`
          : `${event.killer} [${event.weapon}] ${event.victim}`),
    }),
  );
  const reported = said.flatMap((one): EventResult[] => {
    const { event, element, name, to } = one;
    // Those of a value that changes all the time are no events of the truth, but not wrong either.
    if (element && restless.has(element.id)) return [];
    const isShown =
      (name === 'change' || name === 'level') &&
      truth.values.some(
        (value, i, all) =>
          value.element === element?.id &&
          value.t <= event.t + EARLY &&
          agrees(to, value.value, element.kind) &&
          (all.slice(i + 1).find((next) => next.element === value.element)?.t ?? Number.POSITIVE_INFINITY) >=
            event.t - LATE,
      );
    const matches = expectedList.filter((truthEvent) => tells(one, truthEvent));
    const pictures = matches.flatMap((truthEvent) => isPictureRight(one, truthEvent) ?? []);
    return [
      {
        element: element?.id ?? '',
        name,
        font: element?.font ?? '',
        t: event.t,
        isRight: isShown || matches.length > 0,
        text: event.text,
        ...(pictures.length === 0 ? {} : { isPictureRight: pictures.includes(true) }),
      },
    ];
  });
  return { expected, reported };
}
