import { effect, signal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { text } from '../strings.ts';

const LANES = ['film', 'sound', 'stream', 'chapters', 'events', 'values', 'gaps', 'readings'] as const;

/** A kind of lanes of the time line. */
export type LaneKind = (typeof LANES)[number];

const STORED = 'playbyplay-hidden-lanes';

function stored(): ReadonlySet<LaneKind> {
  const hidden = (localStorage.getItem(STORED) ?? '').split(' ');
  return new Set(LANES.filter((kind) => !hidden.includes(kind)));
}

/** The kinds of lanes that are shown, on every page. */
export const shownLanes = signal<ReadonlySet<LaneKind>>(stored());

effect(() => {
  localStorage.setItem(STORED, LANES.filter((kind) => !shownLanes.value.has(kind)).join(' '));
});

function toggle(kind: LaneKind): void {
  const next = new Set(shownLanes.value);
  if (!next.delete(kind)) next.add(kind);
  shownLanes.value = next;
}

/** A button with a list of the kinds of lanes, to choose which are shown. */
export function LaneMenu({ hasReadings }: { readonly hasReadings: boolean }) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const t = text.timeline;
  return (
    <>
      <button
        type="button"
        ref={button}
        class="lane-button"
        popovertarget={id}
        title={t.lanes}
        onClick={() => {
          // Above the button: the time line is at the bottom of the window.
          const { left, top } = button.current!.getBoundingClientRect();
          menu.current!.style.left = `${left}px`;
          menu.current!.style.bottom = `${innerHeight - top + 6}px`;
        }}
      >
        {t.lanesShort}
      </button>
      <div id={id} ref={menu} popover="auto" class="lane-menu" role="group" aria-label={t.lanes}>
        {LANES.map((kind) => (
          <label key={kind} class="check">
            <input type="checkbox" checked={shownLanes.value.has(kind)} onChange={() => toggle(kind)} />
            <span>
              {t.kinds[kind]}
              {kind === 'readings' && !hasReadings && shownLanes.value.has(kind) && (
                <span class="hint"> {t.noReadings}</span>
              )}
            </span>
          </label>
        ))}
      </div>
    </>
  );
}
