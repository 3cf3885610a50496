import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** What a key does on the page that is shown. */
export interface KeyBinding {
  /** As `KeyboardEvent.key` names it, with modifiers in front: `ArrowLeft`, `Shift+ArrowLeft`, `Control+z`. */
  readonly key: string;
  /** What it does, for the list of keys. */
  readonly does: string;
  readonly run: () => void;
}

const bound = signal<readonly (readonly KeyBinding[])[]>([]);

/** Every binding of what is shown, for the list of keys. */
export function boundKeys(): readonly KeyBinding[] {
  return bound.value.flat();
}

/** Binds keys while the component is shown. `bindings` may change with every rendering. */
export function useKeys(bindings: readonly KeyBinding[]): void {
  useEffect(() => {
    bound.value = [...bound.value, bindings];
    return () => {
      bound.value = bound.value.filter((each) => each !== bindings);
    };
  });
}

/** Elements in which keys write text or choose, and do not command. */
const TYPING =
  'input:not([type=checkbox],[type=radio],[type=range]), textarea, select, [contenteditable=true], .cm-editor';

function nameOf(event: KeyboardEvent): string {
  const modifiers = [
    ...(event.ctrlKey || event.metaKey ? ['Control'] : []),
    ...(event.altKey ? ['Alt'] : []),
    ...(event.shiftKey && event.key.length > 1 ? ['Shift'] : []),
  ];
  return [...modifiers, event.key === ' ' ? 'Space' : event.key].join('+');
}

addEventListener('keydown', (event) => {
  // The code editor lives in a shadow root, outside of which its elements are not the target.
  const target = event.composedPath()[0] as Element | undefined;
  const name = nameOf(event);
  if (document.querySelector('dialog[open]')) return;
  if (target?.closest(TYPING)) {
    if (event.key === 'Escape') (target as HTMLElement).blur();
    return;
  }
  // Enter and Space press a button that has the focus.
  if ((name === 'Enter' || name === 'Space') && target?.closest('button, a, summary, [role=option]')) return;
  const binding = bound.value
    .toReversed()
    .flat()
    .find(({ key }) => key === name);
  if (!binding) return;
  event.preventDefault();
  binding.run();
});
