import { useSignal } from '@preact/signals';
import { readFrame } from '../../api/recording.ts';
import { addressOf } from '../api-client.ts';
import { useKeys } from '../keys.ts';
import { clock } from '../strings.ts';
import type { Authoring, Breakpoint, Stop } from './authoring.ts';
import { authorText } from './strings.ts';

const TRIGGERS = ['any', 'found', 'changed', 'lost'] as const;
const PICTURE_WIDTH = 640;

/** The cues at which a run says what is known. */
export function Breakpoints({ authoring }: { readonly authoring: Authoring }) {
  const elements = authoring.pack.value!.elements.filter(({ status }) => status !== 'refused');
  const detector = useSignal('');
  const trigger = useSignal<(typeof TRIGGERS)[number]>('any');
  const value = useSignal('');
  const { value: breakpoints } = authoring.breakpoints;
  const t = authorText.breakpoints;
  const add = (): void => {
    const chosen: Breakpoint = {
      detector: detector.value === '' ? elements[0]!.name : detector.value,
      ...(trigger.value === 'any' ? {} : { trigger: trigger.value }),
      ...(value.value.trim() === '' ? {} : { value: value.value.trim() }),
    };
    authoring.breakpoints.value = [...breakpoints, chosen];
    value.value = '';
  };
  if (elements.length === 0) return null;
  return (
    <fieldset class="steps breakpoints">
      <legend>{t.title}</legend>
      <p class="hint">{t.explain}</p>
      {breakpoints.length > 0 && (
        <ul class="mark-list">
          {breakpoints.map((one, i) => (
            <li key={i}>
              <span class="breakpoint-dot" aria-hidden="true" />
              <span class="grow">
                <strong>{one.detector}</strong> {t.triggers[one.trigger ?? 'any']}
                {one.value !== undefined && (
                  <>
                    {' '}
                    {t.value} <code>{one.value}</code>
                  </>
                )}
              </span>
              <button
                type="button"
                class="icon-button"
                title={t.remove(one.detector)}
                onClick={() => {
                  authoring.breakpoints.value = breakpoints.toSpliced(i, 1);
                }}
              >
                <span aria-hidden="true">×</span>
                <span class="visually-hidden">{t.remove(one.detector)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <div class="row">
        <label class="field grow">
          <span>{t.element}</span>
          <select
            id="breakpoint-element"
            value={detector.value === '' ? elements[0]!.name : detector.value}
            onChange={(event) => {
              detector.value = event.currentTarget.value;
            }}
          >
            {elements.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label class="field grow">
          <span>{t.trigger}</span>
          <select
            value={trigger.value}
            onChange={(event) => {
              trigger.value = event.currentTarget.value as (typeof TRIGGERS)[number];
            }}
          >
            {TRIGGERS.map((one) => (
              <option key={one} value={one}>
                {t.triggers[one]}
              </option>
            ))}
          </select>
        </label>
        <label class="field grow">
          <span>{t.value}</span>
          <input
            placeholder={t.anyValue}
            value={value.value}
            spellcheck={false}
            onInput={(event) => {
              value.value = event.currentTarget.value;
            }}
          />
        </label>
        <button type="button" id="add-breakpoint" onClick={add}>
          {t.add}
        </button>
      </div>
    </fieldset>
  );
}

/** What was known at the breakpoints of a run, one after the other. */
export function Stops({ stops, recording }: { readonly stops: readonly Stop[]; readonly recording: string }) {
  const at = useSignal(0);
  const n = Math.min(at.value, stops.length - 1);
  const { t: time, cue, readings, before, after, sentences } = stops[n]!;
  const t = authorText.breakpoints;
  const go = (step: number): void => {
    at.value = Math.max(0, Math.min(stops.length - 1, n + step));
  };
  useKeys([
    { key: 'ArrowRight', does: t.next, run: () => go(1) },
    { key: 'ArrowLeft', does: t.previous, run: () => go(-1) },
  ]);
  return (
    <section class="stops" aria-label={t.stops}>
      <div class="row">
        <button type="button" class="icon-button" disabled={n === 0} title={t.previous} onClick={() => go(-1)}>
          <span aria-hidden="true">◂</span>
          <span class="visually-hidden">{t.previous}</span>
        </button>
        <button
          type="button"
          class="icon-button"
          id="next-stop"
          disabled={n === stops.length - 1}
          title={t.next}
          onClick={() => go(1)}
        >
          <span aria-hidden="true">▸</span>
          <span class="visually-hidden">{t.next}</span>
        </button>
        <p role="status">
          <span class="tag numbers">{t.stop(n + 1, stops.length)}</span> <span class="numbers">{clock(time)}</span>{' '}
          <strong>{t.cue(cue)}</strong>
        </p>
      </div>
      <div class="stop">
        <img
          src={addressOf(readFrame, { path: recording, t: time, width: PICTURE_WIDTH })}
          alt={t.frame(clock(time))}
        />
        <div>
          <h3>{t.stated}</h3>
          {sentences.length === 0 ? (
            <p class="hint">{t.nothing}</p>
          ) : (
            <ul class="issue-list">
              {sentences.map((sentence) => (
                <li key={sentence}>{sentence}</li>
              ))}
            </ul>
          )}
          <h3>{t.state}</h3>
          <StateChange before={before} after={after} />
        </div>
        <div>
          <h3>{t.readings}</h3>
          <dl class="stop-readings">
            {Object.entries(readings).map(([name, value]) => (
              <div key={name} data-changed={name === cue['detector']}>
                <dt>{name}</dt>
                <dd>{String(value)}</dd>
              </div>
            ))}
          </dl>
        </div>
      </div>
    </section>
  );
}

/** What the cue changed in the state of the script. */
function StateChange({ before, after }: { readonly before: string | undefined; readonly after: string | undefined }) {
  const [old, now] = [parse(before), parse(after)];
  const keys = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  const t = authorText.breakpoints;
  if (keys.length === 0) return <p class="hint">{t.noState}</p>;
  return (
    <table class="scores state-change">
      <thead>
        <tr>
          <th scope="col">{t.stateKey}</th>
          <th scope="col">{t.before}</th>
          <th scope="col">{t.after}</th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => {
          const [left, right] = [JSON.stringify(old[key]) ?? '–', JSON.stringify(now[key]) ?? '–'];
          return (
            <tr key={key} data-changed={left !== right}>
              <th scope="row">{key}</th>
              <td>
                <code>{left}</code>
              </td>
              <td>
                <code>{right}</code>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function parse(state: string | undefined): Readonly<Record<string, unknown>> {
  const value: unknown = state === undefined || state === '' ? {} : JSON.parse(state);
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
