import { fontName } from './fonts.ts';
import type { Random } from './random.ts';
import type { Sprite } from './sprites.ts';
import { effectsOf, type Role, say, textCss, type Theme } from './theme.ts';
import type { Box, DecorLine, ElementKind, ElementLine, EventLine, ScreenLine, ValueLine } from './truth.ts';

/** What something is from a time on, in order of time. */
export type Steps<T> = readonly (readonly [t: number, value: T])[];

/** A part of the screen from which a group of elements grows. */
export type Slot =
  | 'top left'
  | 'top'
  | 'top right'
  | 'left'
  | 'right'
  | 'bottom left'
  | 'bottom'
  | 'bottom right'
  | 'upper'
  | 'centre'
  | 'lower';

type Align = 'start' | 'center' | 'end';

/** Something drawn by one sprite at a time. */
export interface Leaf {
  readonly kind: 'leaf';
  /** HTML; undefined where nothing is drawn. */
  readonly html: Steps<string | undefined>;
  readonly align?: Align | undefined;
  /** The element of which this is the value or the caption; decoration without. */
  readonly element?: string | undefined;
  readonly part?: 'value' | 'caption' | undefined;
  readonly decor?: string | undefined;
  /** On which screens it is drawn. */
  readonly screens: readonly string[];
  /** Offset in pixels and opacity at a time. */
  readonly move?: ((t: number) => { readonly x: number; readonly y: number; readonly opacity: number }) | undefined;
}

/** Nodes in a row or a column. */
export interface Stack {
  readonly kind: 'stack';
  readonly direction: 'row' | 'column';
  readonly gap: number;
  readonly children: readonly Node[];
  readonly panel: boolean;
  readonly align?: Align | undefined;
  /** All children lie at one place. */
  readonly isPile?: boolean | undefined;
  /** Height of a pile that its children move in. */
  readonly height?: number | undefined;
}

/** A node of the layout. */
export type Node = Leaf | Stack;

/** A leaf with its place on the screen. */
export interface PlacedLeaf {
  readonly leaf: Leaf;
  readonly box: Box;
  readonly align: Align;
}

/** A tint over the whole frame. */
export interface Tint {
  readonly t: number;
  readonly seconds: number;
  readonly color: readonly [r: number, g: number, b: number];
  readonly strength: number;
}

/** An element as the simulation has it. */
interface ElementSpec {
  readonly id: string;
  readonly kind: ElementKind;
  readonly direction?: 'up' | 'down' | undefined;
  readonly caption?: string | undefined;
  readonly role?: Role | undefined;
  readonly isRestless: boolean;
  readonly values: Steps<number | string | undefined>;
  readonly texts: Steps<string | undefined>;
  readonly screens: readonly string[];
}

/** Options of a figure. */
export interface FigureOptions {
  readonly id: string;
  readonly kind?: ElementKind;
  readonly direction?: 'up' | 'down';
  readonly values: Steps<number | string | undefined>;
  /** Writes a value. */
  readonly write?: (value: number | string) => string;
  readonly caption?: string;
  readonly captionAs?: Theme['captionStyle'] | 'none';
  /** Height of the text at 720 lines. */
  readonly size?: number;
  readonly role?: Role;
  readonly color?: string;
  /** Colour where a value is low. */
  readonly low?: number;
  readonly isRestless?: boolean;
  readonly screens?: readonly string[];
  /** Smaller, apart, after the figure: a unit or the fraction of a clock. */
  readonly tail?: Steps<string | undefined>;
}

/** Text for HTML. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** What steps say at a time; undefined before the first. */
export function valueAt<T>(steps: Steps<T>, t: number): T | undefined {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle]![0] <= t) low = middle + 1;
    else high = middle;
  }
  return steps[low - 1]?.[1];
}

/** Joins steps: what each says at any time. */
function mapSteps<T, U>(steps: Steps<T>, change: (value: T, t: number) => U): Steps<U> {
  return steps.map(([t, value]) => [t, change(value, t)] as const);
}

const FLASH_SECONDS = 0.3;
const PLAY = ['play'] as const;

/** The HUD of a game: elements with their values over time, laid out in slots. */
export class Hud {
  readonly theme: Theme;
  readonly random: Random;
  readonly duration: number;
  readonly screens: Steps<string>;
  readonly events: EventLine[] = [];
  readonly tints: Tint[] = [];
  readonly #elements: ElementSpec[] = [];
  readonly #slots = new Map<Slot, Node[]>();

  /** @param screens What the screen shows as a whole over time. */
  constructor(theme: Theme, random: Random, duration: number, screens: Steps<string> = [[0, 'play']]) {
    this.theme = theme;
    this.random = random;
    this.duration = duration;
    this.screens = screens;
  }

  /** The screen at a time. */
  screenAt(t: number): string {
    return valueAt(this.screens, t) ?? 'play';
  }

  /** Adds nodes to a slot; the first lies nearest to the edge of the screen. */
  place(slot: Slot, ...nodes: readonly Node[]): void {
    const own = this.#slots.get(slot) ?? [];
    own.push(...nodes);
    this.#slots.set(slot, own);
  }

  row(children: readonly Node[], gap = 8, align: Align = 'center'): Stack {
    return { kind: 'stack', direction: 'row', gap: this.theme.px(gap), children, panel: false, align };
  }

  column(children: readonly Node[], gap = 2, align?: Align): Stack {
    return { kind: 'stack', direction: 'column', gap: this.theme.px(gap), children, panel: false, align };
  }

  /** A group with a dark panel behind it, where the game has such. */
  group(children: readonly Node[], direction: Stack['direction'] = 'column', gap = 6): Stack {
    return { kind: 'stack', direction, gap: this.theme.px(gap), children, panel: this.theme.panel > 0 };
  }

  /** Records something that the rules of the game made happen. */
  event(t: number, name: string, details: Omit<EventLine, 'type' | 't' | 'name'> = {}): void {
    this.events.push({ type: 'event', t, name, ...details });
  }

  /** Tints the frame under the HUD for a moment, such as after damage. */
  tint(t: number, color: Tint['color'], strength = 0.35, seconds = 0.5): void {
    this.tints.push({ t, color, strength, seconds });
  }

  /** HTML of text. */
  html(text: string, role: Role, size: number, color?: string): string {
    return `<span style="${textCss(this.theme, role, size, color)}">${escapeHtml(text)}</span>`;
  }

  /** A constant text. */
  label(text: string, size = 16, screens: readonly string[] = PLAY, role: Role = 'label'): Leaf {
    const drawn = say(this.theme, text);
    return { kind: 'leaf', html: [[0, this.html(drawn, role, size)]], decor: drawn, screens };
  }

  /** A constant picture. */
  picture(html: string, screens: readonly string[] = PLAY): Leaf {
    return { kind: 'leaf', html: [[0, html]], decor: '', screens };
  }

  /** A counter, fraction, percentage, clock, time or name. */
  figure(options: FigureOptions): Node {
    const node = this.#figure(options);
    if (options.kind === 'clock') this.#halts(options.id, options.values);
    return node;
  }

  /** A clock halts where it ran and then stands for a while. */
  #halts(element: string, shown: Steps<number | string | undefined>): void {
    let running: number | string | undefined;
    for (const [i, [t, value]] of shown.entries()) {
      const next = shown[i + 1]?.[0] ?? this.duration;
      if (value !== undefined && i > 0 && next - t >= 3.5 && running !== undefined)
        this.event(t, 'halt', { element, to: value });
      running = value;
    }
  }

  #figure(options: FigureOptions): Node {
    const { theme } = this;
    const { id, kind = 'counter', values, write = String, size = 28, role = 'figure', low, screens = PLAY } = options;
    const { isRestless = false, direction, tail, color } = options;
    const caption = options.caption === undefined ? undefined : say(theme, options.caption);
    const style = caption === undefined ? 'none' : (options.captionAs ?? theme.captionStyle);
    const prefix =
      style === 'inline' ? `<span style="${textCss(theme, 'label', size)}">${escapeHtml(caption!)} </span>` : '';
    const draw = (value: number | string | undefined, own?: string): string | undefined =>
      value === undefined
        ? undefined
        : prefix +
          this.html(
            write(value),
            role,
            size,
            low !== undefined && typeof value === 'number' && value <= low ? '#ff4a3a' : (own ?? color),
          );
    const flashes = theme.hasFlashes && !isRestless && kind !== 'clock' && typeof values[0]?.[1] === 'number';
    const html = values.flatMap(([t, value], i): Steps<string | undefined> => {
      const next = values[i + 1]?.[0] ?? this.duration;
      if (!flashes || i === 0 || next - t <= FLASH_SECONDS) return [[t, draw(value)]];
      return [
        [t, draw(value, theme.colors.accent)],
        [t + FLASH_SECONDS, draw(value)],
      ];
    });
    const leaf: Leaf = { kind: 'leaf', html, element: id, part: 'value', screens };
    const texts = mapSteps(values, (value) => (value === undefined ? undefined : write(value)));
    this.#elements.push({ id, kind, direction, caption, role, isRestless, values, texts, screens });
    const whole: Node =
      tail === undefined
        ? leaf
        : this.row(
            [
              { ...leaf, align: 'end' },
              {
                kind: 'leaf',
                html: mapSteps(tail, (text) => (text === undefined ? undefined : this.html(text, role, size * 0.7))),
                element: id,
                part: 'value',
                align: 'start',
                screens,
              },
            ],
            2,
            'end',
          );
    if (style === 'none' || style === 'inline') return whole;
    const title: Leaf =
      style === 'icon'
        ? {
            ...this.picture(drawIcon(id, theme.px(size), theme.colors.main), screens),
            decor: undefined,
            element: id,
            part: 'caption',
          }
        : {
            kind: 'leaf',
            html: mapSteps(values, (value) =>
              value === undefined
                ? undefined
                : this.html(caption!, 'label', style === 'before' ? size * 0.8 : size * 0.6),
            ),
            element: id,
            part: 'caption',
            screens,
          };
    if (style === 'above') return this.column([title, whole], 0);
    if (style === 'below') return this.column([whole, title], 0);
    return this.row([title, whole], 8);
  }

  /** A clock that is drawn in minutes and seconds, with hundredths where asked for. */
  clock(
    options: Omit<FigureOptions, 'values' | 'write' | 'tail' | 'kind'> & {
      /** Seconds that it shows, at a time of the recording; it halts where this stands still. */
      readonly reading: (t: number) => number | undefined;
      readonly digits?: 0 | 1 | 2;
      readonly isPadded?: boolean;
    },
  ): Node {
    const { reading, digits = 0, isPadded = false, ...rest } = options;
    const { frameRate } = this.theme;
    const values: [number, number | undefined][] = [];
    const tail: [number, string | undefined][] = [];
    const shown: [number, number | undefined][] = [];
    const unit = 10 ** digits;
    for (let frame = 0; frame < this.duration * frameRate; frame++) {
      const t = frame / frameRate;
      const value = reading(t);
      const ticks = value === undefined ? undefined : Math.floor(value * unit + 1e-6);
      const whole = ticks === undefined ? undefined : Math.floor(ticks / unit);
      if (values.length === 0 || values.at(-1)![1] !== whole) values.push([t, whole]);
      const text = ticks === undefined ? undefined : `.${String(ticks % unit).padStart(digits, '0')}`;
      if (digits > 0 && (tail.length === 0 || tail.at(-1)![1] !== text)) tail.push([t, text]);
      const exact = ticks === undefined ? undefined : ticks / unit;
      if (shown.length === 0 || shown.at(-1)![1] !== exact) shown.push([t, exact]);
    }
    const write = (value: number | string): string => writeClock(Number(value), isPadded);
    const node = this.#figure({
      ...rest,
      kind: 'clock',
      values,
      write,
      ...(digits > 0 ? { tail } : {}),
    });
    const spec = this.#elements.pop()!;
    this.#elements.push({
      ...spec,
      values: shown,
      texts: mapSteps(shown, (value) =>
        value === undefined
          ? undefined
          : `${write(Math.floor(value + 1e-6))}${digits > 0 ? `.${String(Math.round(value * unit) % unit).padStart(digits, '0')}` : ''}`,
      ),
    });
    this.#halts(rest.id, shown);
    return node;
  }

  /** A bar, ring or row of cells that shows a share. */
  gauge(options: {
    readonly id: string;
    readonly values: Steps<number | undefined>;
    readonly form?: 'bar' | 'ring' | 'cells';
    readonly color?: string;
    readonly caption?: string;
    readonly width?: number;
    readonly height?: number;
    readonly cells?: number;
    readonly isRestless?: boolean;
    readonly isMirrored?: boolean;
  }): Node {
    const { theme } = this;
    const { id, values, form = 'bar', color = theme.colors.accent, width = 180, height = 16, cells = 5 } = options;
    const caption = options.caption === undefined ? undefined : say(theme, options.caption);
    const steps = form === 'cells' ? cells : 100;
    const [w, h] = [Math.round(theme.px(width)), Math.round(theme.px(height))];
    const draw = (share: number): string => {
      const level = Math.round(share * steps) / steps;
      const fill = level <= 0.25 && form === 'bar' ? '#ff4a3a' : color;
      if (form === 'ring') return drawRing(level, theme.px(height), fill);
      if (form === 'cells')
        return `<div style="display:flex;gap:${theme.px(4)}px">${Array.from({ length: cells }, (_, i) => `<div style="width:${w / cells}px;height:${h}px;border:2px solid #fff;background:${i < Math.round(level * cells) ? fill : 'rgba(0,0,0,.45)'}"></div>`).join('')}</div>`;
      return `<div style="width:${w}px;height:${h}px;border:2px solid rgba(255,255,255,.85);background:rgba(0,0,0,.5);display:flex;justify-content:${options.isMirrored === true ? 'flex-end' : 'flex-start'}"><div style="width:${level * 100}%;background:${fill}"></div></div>`;
    };
    const html = mapSteps(values, (share) => (share === undefined ? undefined : draw(share)));
    const rounded = mapSteps(values, (share) => (share === undefined ? undefined : Math.round(share * steps) / steps));
    this.#elements.push({
      id,
      kind: 'gauge',
      caption,
      isRestless: options.isRestless ?? false,
      values: rounded,
      texts: mapSteps(rounded, () => undefined),
      screens: PLAY,
    });
    const leaf: Leaf = { kind: 'leaf', html, element: id, part: 'value', screens: PLAY };
    if (caption === undefined) return leaf;
    const title: Leaf = {
      kind: 'leaf',
      html: [[0, this.html(caption, 'label', 15)]],
      element: id,
      part: 'caption',
      screens: PLAY,
    };
    return this.column([title, leaf], 0);
  }

  /** An icon that swaps, or counts down until it is ready again. */
  icon(id: string, values: Steps<string | number | undefined>, size = 44): Leaf {
    const { theme } = this;
    const side = theme.px(size);
    const html = mapSteps(values, (value) => {
      if (value === undefined) return undefined;
      const waits = typeof value === 'number';
      const number = waits
        ? `<div style="position:absolute;inset:0;background:rgba(0,0,0,.65);display:flex;align-items:center;justify-content:center">${this.html(String(value), 'figure', size * 0.5)}</div>`
        : '';
      return `<div style="position:relative;width:${side}px;height:${side}px;border:2px solid ${waits ? '#667' : '#fff'};background:rgba(20,26,40,.75)">${drawIcon(waits ? id : `${id} ${value}`, side - 4, theme.colors.accent)}${number}</div>`;
    });
    this.#elements.push({
      id,
      kind: 'icon',
      isRestless: false,
      values,
      texts: mapSteps(values, () => undefined),
      screens: PLAY,
    });
    return { kind: 'leaf', html, element: id, part: 'value', screens: PLAY };
  }

  /** Texts that appear at a place for some seconds, fading or sliding in. */
  messages(
    id: string,
    shown: readonly { readonly t: number; readonly text: string; readonly seconds?: number; readonly color?: string }[],
    size = 36,
    screens: readonly string[] = PLAY,
  ): Leaf {
    const { theme, random } = this;
    const banner = random.chance(0.25);
    const style = random.pick(['fade', 'slide', 'cut']);
    const spans = shown
      .toSorted((a, b) => a.t - b.t)
      .map(({ t, text, seconds = 2.5, color }, i, all) => ({
        t,
        text: say(theme, text),
        color,
        until: Math.min(t + seconds, all[i + 1]?.t ?? this.duration, this.duration),
      }));
    const steps = <T>(make: (one: (typeof spans)[number]) => T): [number, T | undefined][] => [
      [0, undefined],
      ...spans.flatMap((one, i): [number, T | undefined][] => [
        [one.t, make(one)],
        ...(spans[i + 1]?.t === one.until ? [] : ([[one.until, undefined]] as [number, undefined][])),
      ]),
    ];
    const texts = steps(({ text }) => text);
    const html = steps(({ text, color }) => {
      const drawn = this.html(text, 'message', size, color);
      return banner ? `<div style="padding:4px 40px;background:rgba(0,0,0,.55)">${drawn}</div>` : drawn;
    });
    this.#elements.push({
      id,
      kind: 'message',
      role: 'message',
      isRestless: false,
      values: texts,
      texts,
      screens,
    });
    for (const { t, text, until } of spans) this.event(t, 'message', { element: id, text, until });
    const move = (t: number): { x: number; y: number; opacity: number } => {
      const span = spans.findLast((one) => one.t <= t);
      if (!span || style === 'cut') return { x: 0, y: 0, opacity: 1 };
      const [age, left] = [t - span.t, span.until - t];
      const opacity = Math.min(1, age / 0.2 + 0.1, left / 0.3 + 0.1);
      return { x: style === 'slide' ? -theme.px(60) * Math.max(0, 1 - age / 0.2) : 0, y: 0, opacity };
    };
    return { kind: 'leaf', html, element: id, part: 'value', screens, move };
  }

  /** Rows that appear, slide and vanish. */
  rows(
    id: string,
    kind: 'feed' | 'message',
    shown: readonly { readonly t: number; readonly html: string; readonly text: string }[],
    { seconds = 5, most = 4, size = 20, newest = this.random.pick(['top', 'bottom'] as const) } = {},
  ): Stack {
    const { theme } = this;
    const height = theme.px(size * 1.45);
    const all = shown.toSorted((a, b) => a.t - b.t);
    const ends = all.map(({ t }, i) => Math.min(t + seconds, all[i + most]?.t ?? Number.POSITIVE_INFINITY));
    const children = all.map(({ t, html }, i): Leaf => {
      // Newest on top: later rows push it down. Newest below: it moves up when older ones vanish.
      const others =
        newest === 'top' ? all.slice(i + 1).map((one) => one.t) : ends.slice(0, i).filter((end) => end > t);
      const first = newest === 'top' ? 0 : others.length;
      const move = (now: number): { x: number; y: number; opacity: number } => {
        let place = first;
        for (const at of others)
          if (now >= at) place += (newest === 'top' ? 1 : -1) * Math.min(1, (now - at) / 0.15 + 0.2);
        return { x: 0, y: place * height, opacity: Math.min(1, (now - t) / 0.15 + 0.2, (ends[i]! - now) / 0.3 + 0.1) };
      };
      return {
        kind: 'leaf',
        html: [
          [0, undefined],
          [t, html],
          [ends[i]!, undefined],
        ],
        element: id,
        part: 'value',
        screens: PLAY,
        move,
      };
    });
    const texts: [number, string | undefined][] = [];
    for (const t of [0, ...all.map((one) => one.t), ...ends].toSorted((a, b) => a - b)) {
      const now = all.filter((one, i) => one.t <= t && t < ends[i]!).map(({ text }) => text);
      texts.push([t, now.length === 0 ? undefined : now.join('\n')]);
    }
    this.#elements.push({
      id,
      kind,
      role: 'label',
      isRestless: false,
      values: texts,
      texts,
      screens: PLAY,
    });
    return { kind: 'stack', direction: 'column', gap: 0, children, panel: false, isPile: true, height: most * height };
  }

  /** A feed of kills: killer, weapon icon, victim. */
  feed(
    id: string,
    kills: readonly {
      readonly t: number;
      readonly killer: string;
      readonly victim: string;
      readonly weapon: string;
      /** 0 or 1: the killer's team. */
      readonly team: 0 | 1;
    }[],
    size = 20,
  ): Stack {
    const { theme, random } = this;
    const hasRow = random.chance(0.4);
    const seconds = random.between(4, 7);
    const sorted = kills.toSorted((a, b) => a.t - b.t);
    const node = this.rows(
      id,
      'feed',
      sorted.map(({ t, killer, victim, weapon, team }) => {
        const side = theme.px(size);
        const inner = `${this.html(killer, 'label', size, theme.teams[team])}<span style="display:inline-block;margin:0 ${side * 0.35}px;vertical-align:-${side * 0.12}px">${drawWeapon(weapon, side)}</span>${this.html(victim, 'label', size, theme.teams[team === 0 ? 1 : 0])}`;
        const html = hasRow ? `<div style="background:rgba(0,0,0,.5);padding:0 8px">${inner}</div>` : inner;
        return { t, html, text: `${killer} [${weapon}] ${victim}` };
      }),
      { seconds, size },
    );
    for (const { t, killer, victim, weapon } of sorted)
      this.event(t, 'kill', { element: id, killer, victim, weapon, until: t + seconds });
    return node;
  }

  /** All HTML that is drawn. */
  pieces(): ReadonlySet<string> {
    const found = new Set<string>();
    const visit = (node: Node): void => {
      if (node.kind === 'stack') node.children.forEach(visit);
      else for (const [, html] of node.html) if (html !== undefined) found.add(html);
    };
    for (const nodes of this.#slots.values()) nodes.forEach(visit);
    return found;
  }

  /**
   * Lays everything out.
   *
   * @throws RangeError if two slots overlap or one leaves the screen: the HUD is too large.
   */
  layout(sprites: ReadonlyMap<string, Sprite>): {
    readonly leaves: PlacedLeaf[];
    readonly panels: (Box & { screens: readonly string[] })[];
  } {
    const { theme } = this;
    const { width, height, px } = theme;
    const leaves: PlacedLeaf[] = [];
    const panels: (Box & { screens: readonly string[] })[] = [];
    const sizes = new Map<Node, { width: number; height: number }>();
    const measure = (node: Node): { width: number; height: number } => {
      const known = sizes.get(node);
      if (known) return known;
      let size: { width: number; height: number };
      if (node.kind === 'leaf') {
        const own = node.html.flatMap(([, html]) => (html === undefined ? [] : [sprites.get(html)!.size]));
        size = {
          width: Math.max(0, ...own.map((one) => one.width)),
          height: Math.max(0, ...own.map((one) => one.height)),
        };
      } else {
        const own = node.children.map(measure);
        const gaps = node.gap * Math.max(0, own.length - 1);
        size =
          node.isPile === true
            ? {
                width: Math.max(0, ...own.map((one) => one.width)),
                height: node.height ?? Math.max(0, ...own.map((one) => one.height)),
              }
            : node.direction === 'row'
              ? { width: sum(own.map((one) => one.width)) + gaps, height: Math.max(0, ...own.map((one) => one.height)) }
              : {
                  width: Math.max(0, ...own.map((one) => one.width)),
                  height: sum(own.map((one) => one.height)) + gaps,
                };
      }
      sizes.set(node, size);
      return size;
    };
    const put = (node: Node, x: number, y: number, align: Align): void => {
      const size = measure(node);
      if (node.kind === 'leaf') {
        leaves.push({ leaf: node, box: { x, y, ...size }, align: node.align ?? align });
        return;
      }
      if (node.panel) {
        const pad = px(7);
        const screens = firstLeaf(node)?.screens ?? PLAY;
        panels.push({ x: x - pad, y: y - pad, width: size.width + 2 * pad, height: size.height + 2 * pad, screens });
      }
      let at = 0;
      for (const child of node.children) {
        const own = measure(child);
        if (node.isPile === true) put(child, x + shift(align, size.width - own.width), y, align);
        else if (node.direction === 'row') {
          put(child, x + at, y + shift(node.align ?? 'center', size.height - own.height), align);
          at += own.width + node.gap;
        } else {
          put(child, x + shift(node.align ?? align, size.width - own.width), y + at, align);
          at += own.height + node.gap;
        }
      }
    };
    const margin = px(20);
    const taken: (Box & { slot: Slot; screens: readonly string[] })[] = [];
    for (const [slot, nodes] of this.#slots) {
      const isBottom = slot.startsWith('bottom');
      const isRow = slot === 'bottom' || slot === 'top';
      const stack: Stack = {
        kind: 'stack',
        direction: isRow ? 'row' : 'column',
        gap: px(isRow ? 26 : 12),
        children: isBottom && !isRow ? nodes.toReversed() : nodes,
        panel: false,
        align: isRow ? (isBottom ? 'end' : 'start') : undefined,
      };
      const size = measure(stack);
      const align: Align = slot.endsWith('left') ? 'start' : slot.endsWith('right') ? 'end' : 'center';
      const x = align === 'start' ? margin : align === 'end' ? width - margin - size.width : (width - size.width) / 2;
      const y = slot.startsWith('top')
        ? margin
        : isBottom
          ? height - margin - size.height
          : { left: 0.5, right: 0.5, upper: 0.27, centre: 0.46, lower: 0.7 }[slot as 'left']! * height -
            size.height / 2;
      put(stack, x, y, align);
      taken.push({ x, y, ...size, slot, screens: firstLeaf(stack)?.screens ?? PLAY });
    }
    for (const [i, a] of taken.entries()) {
      if (a.x < 0 || a.y < 0 || a.x + a.width > width || a.y + a.height > height)
        throw new RangeError(`the HUD leaves the screen at the ${a.slot}`);
      const other = taken.slice(i + 1).find((b) => a.screens.some((one) => b.screens.includes(one)) && overlaps(a, b));
      if (other) throw new RangeError(`the slots ${a.slot} and ${other.slot} overlap`);
    }
    return { leaves, panels };
  }

  /** Spans in which one of some screens is shown. */
  spans(screens: readonly string[]): readonly (readonly [number, number])[] {
    return this.screens.flatMap(([t, name], i): [number, number][] =>
      screens.includes(name) ? [[t, this.screens[i + 1]?.[0] ?? this.duration]] : [],
    );
  }

  /** The truth that follows from values and layout; the header is not part of it. */
  truth(
    { leaves }: { readonly leaves: readonly PlacedLeaf[] },
    sprites: ReadonlyMap<string, Sprite>,
  ): readonly (ScreenLine | ElementLine | DecorLine | ValueLine | EventLine)[] {
    const { theme, duration } = this;
    const boxOf = (parts: readonly PlacedLeaf[]): Box | undefined =>
      unite(
        parts.flatMap((part) =>
          part.leaf.html.flatMap(([t, html], i) => {
            const sprite = html === undefined ? undefined : sprites.get(html)!;
            if (!sprite?.ink) return [];
            const at = spritePlace(part, sprite);
            // What moves covers more than its first place.
            const until = part.leaf.html[i + 1]?.[0] ?? duration;
            const ages = Array.from(
              { length: Math.min(40, Math.ceil((until - t) / 0.25)) },
              (_, k) => t + 0.25 * (k + 1),
            );
            const { move } = part.leaf;
            const shifts = move ? ages.filter((age) => age < until).map((age) => move(age)) : [{ x: 0, y: 0 }];
            return shifts.map(({ x, y }) => ({
              x: at.x + x + sprite.ink!.x,
              y: at.y + y + sprite.ink!.y,
              width: sprite.ink!.width,
              height: sprite.ink!.height,
            }));
          }),
        ),
      );
    const screens = this.screens.map(
      ([from, name], i): ScreenLine => ({ type: 'screen', name, from, to: this.screens[i + 1]?.[0] ?? duration }),
    );
    const elements: ElementLine[] = [];
    const values: ValueLine[] = [];
    const events = [...this.events];
    for (const spec of this.#elements) {
      const { id, kind, direction, caption, role, isRestless } = spec;
      const own = leaves.filter(({ leaf }) => leaf.element === id);
      const box = boxOf(own.filter(({ leaf }) => leaf.part === 'value'));
      if (box === undefined) continue;
      const captionBox = boxOf(own.filter(({ leaf }) => leaf.part === 'caption'));
      const shown = this.#shown(spec);
      const visible: [number, number][] = [];
      for (const [i, { t, value }] of shown.entries()) {
        const to = shown[i + 1]?.t ?? duration;
        if (value === null) continue;
        if (visible.at(-1)?.[1] === t) visible.at(-1)![1] = to;
        else visible.push([t, to]);
      }
      elements.push({
        type: 'element',
        id,
        kind,
        ...(direction ? { direction } : {}),
        box: roundBox(box),
        ...(captionBox ? { captionBox: roundBox(captionBox) } : {}),
        ...(caption === undefined ? {} : { caption }),
        ...(role ? { font: fontName(theme.fonts[role]), effects: effectsOf(theme, role) } : {}),
        ...(isRestless ? { isRestless } : {}),
        visible,
      });
      values.push(...shown);
      if (isRestless) continue;
      const name = { gauge: 'level', icon: 'switch' }[kind as string] ?? 'change';
      if (kind === 'clock' || kind === 'message' || kind === 'feed') continue;
      let last: number | string | null = null;
      for (const { t, value } of shown) {
        if (value === null) continue;
        const isCountdown = kind === 'icon' && typeof value === 'number' && typeof last === 'number';
        if (last !== null && value !== last && !isCountdown)
          events.push({ type: 'event', t, name, element: id, from: last, to: value });
        last = value;
      }
    }
    const decor = leaves.flatMap(({ leaf, ...rest }, i): DecorLine[] => {
      const box = leaf.decor === undefined ? undefined : boxOf([{ leaf, ...rest }]);
      return box === undefined
        ? []
        : [
            {
              type: 'decor',
              id: `decor ${i}`,
              ...(leaf.decor === '' ? {} : { text: leaf.decor! }),
              box: roundBox(box),
              screen: leaf.screens[0]!,
            },
          ];
    });
    // What happens while the screen shows something else cannot be seen.
    const timed = [...values, ...events.filter(({ t }) => t < duration)].toSorted((a, b) => a.t - b.t);
    return [
      ...screens,
      ...elements,
      ...decor,
      ...timed.map((line) => ({ ...line, t: Math.round(line.t * 1000) / 1000 })),
    ];
  }

  /** What an element shows, with `null` where the screen does not show it. */
  #shown({ id, values, texts, screens }: ElementSpec): ValueLine[] {
    const times = [...new Set([...values.map(([t]) => t), ...this.screens.map(([t]) => t)])].toSorted((a, b) => a - b);
    const found: ValueLine[] = [];
    for (const t of times) {
      if (t >= this.duration) break;
      const isOn = screens.includes(valueAt(this.screens, t) ?? '');
      const value = isOn ? (valueAt(values, t) ?? null) : null;
      const text = isOn ? valueAt(texts, t) : undefined;
      const last = found.at(-1);
      if (last ? last.value === value : value === null) continue;
      found.push({ type: 'value', t, element: id, value, ...(text === undefined ? {} : { text }) });
    }
    return found;
  }
}

/** Where a sprite of a leaf lies: its upper left corner, in even pixels. */
export function spritePlace({ box, align }: PlacedLeaf, sprite: Sprite): { readonly x: number; readonly y: number } {
  const free = box.width - sprite.size.width;
  const x = box.x + (align === 'start' ? 0 : align === 'end' ? free : free / 2) - sprite.origin.x;
  const y = box.y + (box.height - sprite.size.height) / 2 - sprite.origin.y;
  return { x: 2 * Math.round(x / 2), y: 2 * Math.round(y / 2) };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The share of free space before something. */
function shift(align: Align, free: number): number {
  return align === 'start' ? 0 : align === 'end' ? free : free / 2;
}

function firstLeaf(node: Node): Leaf | undefined {
  if (node.kind === 'leaf') return node;
  for (const child of node.children) {
    const found = firstLeaf(child);
    if (found) return found;
  }
  return undefined;
}

function overlaps(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

function unite(boxes: readonly Box[]): Box | undefined {
  if (boxes.length === 0) return undefined;
  const [x, y] = [Math.min(...boxes.map((one) => one.x)), Math.min(...boxes.map((one) => one.y))];
  const right = Math.max(...boxes.map((one) => one.x + one.width));
  const bottom = Math.max(...boxes.map((one) => one.y + one.height));
  return { x, y, width: right - x, height: bottom - y };
}

function roundBox({ x, y, width, height }: Box): Box {
  return { x: Math.round(x), y: Math.round(y), width: Math.round(width), height: Math.round(height) };
}

/** Minutes and seconds: 1:05, or 01:05. */
export function writeClock(seconds: number, isPadded = false): string {
  const minutes = String(Math.floor(seconds / 60));
  return `${isPadded ? minutes.padStart(2, '0') : minutes}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
}

/** Minutes, seconds and hundredths: 1:05.30. */
export function writeTime(value: number | string): string {
  const hundredths = Math.round(Number(value) * 100);
  return `${writeClock(Math.floor(hundredths / 100))}.${String(hundredths % 100).padStart(2, '0')}`;
}

/** A number from a text, for pictures that depend on a name. */
function textNumber(text: string): number {
  let hash = 7;
  for (const character of text) hash = (hash * 31 + character.codePointAt(0)!) % 1_000_003;
  return hash;
}

/** An icon made of simple shapes, the same for the same name. */
export function drawIcon(name: string, side: number, color: string): string {
  const n = textNumber(name);
  const corners = 3 + (n % 5);
  const points = Array.from({ length: corners * 2 }, (_, i) => {
    const angle = (Math.PI * i) / corners - Math.PI / 2;
    const radius = i % 2 === 0 ? 42 : 16 + ((n >> 3) % 24);
    return `${(50 + radius * Math.cos(angle)).toFixed(1)},${(50 + radius * Math.sin(angle)).toFixed(1)}`;
  }).join(' ');
  const extra = [
    `<circle cx="50" cy="50" r="12" fill="#222"/>`,
    `<rect x="44" y="20" width="12" height="60" fill="#222"/>`,
    `<path d="M20 70 L80 30" stroke="#222" stroke-width="10"/>`,
    '',
  ][(n >> 5) % 4]!;
  return `<svg width="${side}" height="${side}" viewBox="0 0 100 100" style="display:block"><polygon points="${points}" fill="${color}" stroke="#000" stroke-width="4"/>${extra}</svg>`;
}

/** The silhouette of a weapon, the same for the same name. */
export function drawWeapon(name: string, height: number): string {
  const n = textNumber(name);
  const length = 90 + (n % 70);
  const barrel = 8 + ((n >> 4) % 8);
  const parts = [
    `<rect x="40" y="${30 - barrel / 2}" width="${length - 10}" height="${barrel}"/>`,
    `<rect x="30" y="22" width="${length * 0.5}" height="20"/>`,
    (n >> 2) % 3 === 0 ? '' : `<polygon points="2,26 34,24 34,40 2,54"/>`,
    `<polygon points="44,40 62,40 56,66 40,66"/>`,
    (n >> 6) % 2 === 0 ? '' : `<polygon points="74,42 90,42 ${86 + (n % 12)},70 ${72 + (n % 12)},68"/>`,
    (n >> 7) % 3 === 1 ? `<rect x="50" y="8" width="44" height="9"/><rect x="64" y="14" width="8" height="10"/>` : '',
  ].join('');
  const width = length + 40;
  return `<svg height="${height.toFixed(1)}" width="${((height * width) / 72).toFixed(1)}" viewBox="0 0 ${width} 72" style="display:block"><g fill="#fff" stroke="#000" stroke-width="3" paint-order="stroke">${parts}</g></svg>`;
}

function drawRing(share: number, side: number, color: string): string {
  const length = 2 * Math.PI * 40;
  return `<svg width="${side}" height="${side}" viewBox="0 0 100 100" style="display:block"><circle cx="50" cy="50" r="40" fill="rgba(0,0,0,.45)" stroke="rgba(255,255,255,.3)" stroke-width="12"/><circle cx="50" cy="50" r="40" fill="none" stroke="${color}" stroke-width="12" stroke-dasharray="${(length * share).toFixed(1)} ${length.toFixed(1)}" transform="rotate(-90 50 50)"/></svg>`;
}
