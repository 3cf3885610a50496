import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { cutIcon } from '../../api/authoring.ts';
import type { RouteResponse } from '../../api/route.ts';
import { call } from '../api-client.ts';
import type { Player } from '../player/player.ts';
import type { Authoring, Element, Reading } from './authoring.ts';
import type { PictureClick } from './hud-overlay.tsx';
import { Png } from './png.tsx';
import { authorText } from './strings.ts';

const ANCHORS = [
  'top left',
  'top',
  'top right',
  'left',
  'centre',
  'right',
  'bottom left',
  'bottom',
  'bottom right',
] as const;
const DIRECTIONS = ['right', 'left', 'up', 'down', 'clockwise', 'counterclockwise'] as const;
/** Kinds that the panel edits; others are written in the profile. */
const KINDS = ['text', 'bar', 'icon', 'color'] as const;
const STEPS = [
  'grayscale',
  'channel',
  'hsv',
  'isolate',
  'threshold',
  'stretch',
  'invert',
  'resize',
  'blur',
  'sharpen',
  'denoise',
  'morphology',
  'border',
  'rotate',
] as const;

/** How the person uses the picture: to cut an icon, or pick a colour. */
export type PictureUse = { readonly kind: 'icon' } | { readonly kind: 'color'; readonly option: 'fill' | 'empty' };

interface PanelProps {
  readonly authoring: Authoring;
  readonly element: Element;
  readonly player: Player;
  readonly onTeach: () => void;
  /** Uses the clicks on the picture. */
  readonly setUse: (use: PictureUse | undefined, click?: PictureClick) => void;
  readonly use: PictureUse | undefined;
}

/** What is known of the selected element, and how it is read. */
export function ElementPanel({ authoring, element, player, onTeach, setUse, use }: PanelProps) {
  const { name, kind, status, detector, region = {} } = element;
  const reading = authoring.detail.value;
  const typedName = useSignal(name);
  useEffect(() => {
    typedName.value = name;
  }, [name]);
  const rename = async (): Promise<void> => {
    const to = typedName.value.trim();
    if (to === '' || to === name) return;
    if (await authoring.edit({ op: 'rename', name, to })) authoring.selected.value = to;
    else typedName.value = name;
  };
  const set = (options: Readonly<Record<string, unknown>>): void =>
    void authoring.edit({ op: 'set-detector', name, options });
  const setKind = (to: string): void =>
    set({
      ...Object.fromEntries(Object.keys(detector).flatMap((key) => (KEPT.has(key) ? [] : [[key, null]]))),
      kind: to,
      ...(to === 'text' ? { reader: 'general' } : to === 'color' ? { colors: { shown: '#ffffff' } } : {}),
    });
  const t = authorText;
  return (
    <div class="element-panel">
      <div class="row">
        <label class="field grow">
          <span>{t.rename}</span>
          <input
            id="element-name"
            value={typedName.value}
            onInput={(event) => {
              typedName.value = event.currentTarget.value;
            }}
            onKeyDown={(event) => {
              if (event.key === 'Enter') void rename();
            }}
            onBlur={() => void rename()}
          />
        </label>
        <label class="field">
          <span>{t.kind}</span>
          <select
            value={kind}
            disabled={!KINDS.some((one) => one === kind)}
            onChange={(event) => setKind(event.currentTarget.value)}
          >
            {[...new Set([kind, ...KINDS])].map((one) => (
              <option key={one} value={one}>
                {t.kinds[one] ?? one}
              </option>
            ))}
          </select>
        </label>
      </div>
      <div class="row">
        {status === 'refused' ? (
          <button type="button" onClick={() => void authoring.edit({ op: 'restore', name })}>
            {t.restore}
          </button>
        ) : (
          <>
            <button
              type="button"
              class={status === 'proposed' ? 'primary' : undefined}
              disabled={status === 'accepted'}
              onClick={() => void authoring.edit({ op: 'accept', names: [name] })}
            >
              {t.accept} <kbd>A</kbd>
            </button>
            <button type="button" onClick={() => void authoring.edit({ op: 'refuse', name })}>
              {t.refuse} <kbd>X</kbd>
            </button>
            {kind === 'text' && (
              <button type="button" id="teach-font" onClick={onTeach}>
                {t.teach} <kbd>F</kbd>
              </button>
            )}
          </>
        )}
      </div>
      {status !== 'refused' && (
        <>
          {reading && reading.name === name && (
            <ReadingView reading={reading} milliseconds={authoring.milliseconds.value} />
          )}
          {kind === 'text' && (
            <div class="row">
              <label class="field">
                <span>{t.value}</span>
                <select
                  value={String(detector['value'] ?? 'text')}
                  onChange={(event) =>
                    set({ value: event.currentTarget.value === 'text' ? null : event.currentTarget.value })
                  }
                >
                  {(['text', 'number', 'integer', 'time', 'stopwatch'] as const).map((one) => (
                    <option key={one} value={one}>
                      {t.values[one]}
                    </option>
                  ))}
                </select>
              </label>
              <label class="field grow">
                <span>{t.pattern}</span>
                <input
                  key={String(detector['pattern'])}
                  defaultValue={String(detector['pattern'] ?? '')}
                  placeholder={t.patternExample}
                  spellcheck={false}
                  onChange={(event) =>
                    set({ pattern: event.currentTarget.value === '' ? null : event.currentTarget.value })
                  }
                />
              </label>
            </div>
          )}
          {(kind === 'bar' || kind === 'color') && (
            <ColorOptions authoring={authoring} element={element} use={use} setUse={setUse} set={set} />
          )}
          {kind === 'icon' && (
            <IconCutter authoring={authoring} element={element} player={player} use={use} setUse={setUse} />
          )}
          {kind === 'sound' && <ClipList detector={detector} />}
          {element.box && (
            <label class="field">
              <span>{t.anchor}</span>
              <select
                value={String(region['anchor'] ?? 'centre')}
                onChange={(event) =>
                  void authoring.edit({ op: 'set-region', name, options: { anchor: event.currentTarget.value } })
                }
              >
                {ANCHORS.map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </select>
            </label>
          )}
          {element.box && <MergeWith authoring={authoring} element={element} />}
          {!element.box ? null : kind !== 'text' ||
            detector['atlas'] === undefined ||
            detector['fallback'] !== undefined ? (
            <Steps authoring={authoring} element={element} reading={reading} />
          ) : null}
        </>
      )}
    </div>
  );
}

/** Merges the element with another that belongs to it: its box then covers both. */
function MergeWith({ authoring, element: { name } }: { readonly authoring: Authoring; readonly element: Element }) {
  const others = authoring.pack.value!.elements.filter(
    (one) => one.name !== name && one.box && one.status !== 'refused',
  );
  const t = authorText;
  if (others.length === 0) return null;
  return (
    <label class="field">
      <span>{t.mergeWith}</span>
      <select
        id="merge-with"
        value=""
        onChange={(event) => {
          const { value } = event.currentTarget;
          event.currentTarget.value = '';
          if (value !== '') void authoring.edit({ op: 'merge', names: [name, value] });
        }}
      >
        <option value="">{t.mergeNone}</option>
        {others.map((one) => (
          <option key={one.name}>{one.name}</option>
        ))}
      </select>
    </label>
  );
}

/** The sounds that a detector knows. */
function ClipList({ detector }: { readonly detector: Element['detector'] }) {
  const clips = Object.entries((detector['clips'] ?? {}) as Readonly<Record<string, unknown>>);
  if (clips.length === 0) return null;
  return (
    <ul class="word-list">
      {clips.map(([label, files]) => (
        <li key={label}>
          <strong>{label}</strong> <span class="hint">{[files].flat().join(', ')}</span>
        </li>
      ))}
    </ul>
  );
}

/** Options of a detector that a change of its kind keeps. */
const KEPT: ReadonlySet<string> = new Set(['kind', 'region', 'when', 'after', 'modes', 'screens', 'interval', 'every']);

/** The value, how sure it is, and why there is none; with the crop after each step. */
export function ReadingView({ reading, milliseconds }: { readonly reading: Reading; readonly milliseconds: number }) {
  const { verdict, value, confidence, least, reasons, steps, unknown } = reading;
  const t = authorText;
  return (
    <div class="reading" data-verdict={verdict}>
      <div class="step-pictures">
        {steps.map(({ step, png, width, height }, i) => (
          <figure key={`${i} ${step}`}>
            <Png data={png} alt={step} width={width} height={height} />
            <figcaption>{step}</figcaption>
          </figure>
        ))}
      </div>
      <p class="reading-value" role="status">
        <strong>{value === undefined ? t.verdicts[verdict] : String(value)}</strong>
        <span class="hint numbers">
          {value !== undefined && `${t.confidence(Math.floor(100 * confidence), Math.round(100 * least))} · `}
          {t.milliseconds(milliseconds)}
        </span>
      </p>
      {reasons.length > 0 && (
        <ul class="reasons">
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
      {unknown.length > 0 && (
        <p class="coverage">
          {t.sheet.never}{' '}
          {unknown.map((char) => (
            <kbd key={char}>{char}</kbd>
          ))}
        </p>
      )}
    </div>
  );
}

/** The preprocessing as a list of steps. */
function Steps({
  authoring,
  element: { name, region = {} },
  reading,
}: {
  readonly authoring: Authoring;
  readonly element: Element;
  readonly reading: Reading | undefined;
}) {
  const steps = (region['preprocess'] ?? []) as readonly Readonly<Record<string, unknown>>[];
  const save = (next: readonly Readonly<Record<string, unknown>>[]): void =>
    void authoring.edit({ op: 'set-region', name, options: { preprocess: next.length === 0 ? null : next } });
  const t = authorText;
  void reading;
  return (
    <fieldset class="steps">
      <legend>{t.steps}</legend>
      {steps.map((step, i) => {
        const { step: kind, ...options } = step;
        return (
          <div key={`${i} ${String(kind)}`} class="row step-row">
            <strong>{String(kind)}</strong>
            <input
              class="grow"
              aria-label={`${t.step.options}: ${String(kind)}`}
              defaultValue={Object.entries(options)
                .map(([key, value]) => `${key}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
                .join(' ')}
              spellcheck={false}
              onChange={(event) =>
                save(steps.toSpliced(i, 1, { step: kind, ...parseOptions(event.currentTarget.value) }))
              }
            />
            <button
              type="button"
              class="icon-button"
              title={t.step.remove(String(kind))}
              onClick={() => save(steps.toSpliced(i, 1))}
            >
              <span aria-hidden="true">×</span>
              <span class="visually-hidden">{t.step.remove(String(kind))}</span>
            </button>
          </div>
        );
      })}
      <select
        aria-label={t.step.add}
        value=""
        onChange={(event) => {
          const { value } = event.currentTarget;
          event.currentTarget.value = '';
          if (value !== '') save([...steps, { step: value }]);
        }}
      >
        <option value="">{t.step.add}…</option>
        {STEPS.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </fieldset>
  );
}

/** Reads `level=128 size=3`; values are JSON where they can be. */
function parseOptions(written: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    written
      .split(/\s+/)
      .filter((part) => part.includes('='))
      .map((part) => {
        const at = part.indexOf('=');
        const value = part.slice(at + 1);
        try {
          return [part.slice(0, at), JSON.parse(value)];
        } catch {
          return [part.slice(0, at), value];
        }
      }),
  );
}

function ColorOptions({
  element: { kind, detector },
  use,
  setUse,
  set,
}: {
  readonly authoring: Authoring;
  readonly element: Element;
  readonly use: PictureUse | undefined;
  readonly setUse: PanelProps['setUse'];
  readonly set: (options: Readonly<Record<string, unknown>>) => void;
}) {
  const t = authorText;
  if (kind === 'color') return null;
  return (
    <>
      <label class="field">
        <span>{t.direction}</span>
        <select
          value={String(detector['direction'] ?? 'right')}
          onChange={(event) => set({ direction: event.currentTarget.value })}
        >
          {DIRECTIONS.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      {(['fill', 'empty'] as const).map((option) => {
        const colors = (detector[option] ?? []) as readonly string[];
        const isActive = use?.kind === 'color' && use.option === option;
        return (
          <div key={option} class="row">
            <span class="grow">{t.pipette[option]}</span>
            {colors.map((color) => (
              <button
                key={color}
                type="button"
                class="swatch"
                title={color}
                onClick={() => set({ [option]: colors.length === 1 ? null : colors.filter((one) => one !== color) })}
              >
                <svg width="20" height="20" aria-hidden="true">
                  <rect width="20" height="20" fill={color} />
                </svg>
                <span class="visually-hidden">{color}</span>
              </button>
            ))}
            <button
              type="button"
              aria-pressed={isActive}
              onClick={() => setUse(isActive ? undefined : { kind: 'color', option })}
            >
              {t.pipette.pick}
            </button>
          </div>
        );
      })}
      {use?.kind === 'color' && <p class="hint">{t.pipette.explain}</p>}
    </>
  );
}

function IconCutter({
  authoring,
  element,
  player,
  use,
  setUse,
}: {
  readonly authoring: Authoring;
  readonly element: Element;
  readonly player: Player;
  readonly use: PictureUse | undefined;
  readonly setUse: PanelProps['setUse'];
}) {
  const points = useSignal<readonly { readonly x: number; readonly y: number }[]>([]);
  const cut = useSignal<RouteResponse<typeof cutIcon> | undefined>(undefined);
  const icon = useSignal('');
  const t = authorText.icon;
  const again = (): void => {
    points.value = [];
    cut.value = undefined;
  };
  const onClick = async (x: number, y: number): Promise<void> => {
    const { width, height } = authoring.pack.value!.reference;
    const box = element.box!;
    const inside = { x: (x * width - box.x) / box.width, y: (y * height - box.y) / box.height };
    if (inside.x < 0 || inside.x > 1 || inside.y < 0 || inside.y > 1) return;
    points.value = [...points.value, inside];
    try {
      cut.value = await call(cutIcon, {
        body: {
          ...authoring.id,
          name: element.name,
          media: player.path,
          t: player.shown.value?.t ?? 0,
          points: points.value,
        },
      });
    } catch (error) {
      authoring.error.value = error;
    }
  };
  const save = async (): Promise<void> => {
    if (!cut.value?.png || icon.value.trim() === '') return;
    await authoring.edit({ op: 'icon', name: element.name, icon: icon.value.trim(), png: cut.value.png });
    again();
    setUse(undefined);
  };
  const isActive = use?.kind === 'icon';
  return (
    <fieldset class="steps">
      <legend>{t.title}</legend>
      <p class="hint">{t.explain}</p>
      <div class="row">
        <button
          type="button"
          aria-pressed={isActive}
          onClick={() =>
            isActive ? setUse(undefined) : setUse({ kind: 'icon' }, { onClick: (x, y) => void onClick(x, y) })
          }
        >
          {t.title}
        </button>
        {points.value.length > 0 && (
          <button type="button" onClick={again}>
            {t.again}
          </button>
        )}
      </div>
      {cut.value && cut.value.pixels === 0 && <p class="hint">{t.nothing}</p>}
      {cut.value?.png !== undefined && (
        <div class="row">
          <span class="checkered">
            <Png
              data={cut.value.png}
              alt={t.pixels(cut.value.pixels)}
              width={cut.value.width!}
              height={cut.value.height!}
            />
          </span>
          <input
            class="grow"
            aria-label={t.name}
            placeholder={t.name}
            value={icon.value}
            onInput={(event) => {
              icon.value = event.currentTarget.value;
            }}
            onKeyDown={(event) => {
              if (event.key === 'Enter') void save();
            }}
          />
          <button type="button" class="primary" onClick={() => void save()}>
            {t.save}
          </button>
        </div>
      )}
    </fieldset>
  );
}
