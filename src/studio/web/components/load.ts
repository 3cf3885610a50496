import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** What is being loaded: nothing yet, the result, or an error. */
export interface Loaded<T> {
  readonly value?: T;
  readonly error?: unknown;
  /** Loads it again. */
  readonly reload: () => void;
}

/**
 * Loads something when the component is shown and when one of `inputs` changes. The result before stays until the next one arrives.
 *
 * @param load Its signal aborts when the result is no longer wanted.
 */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
  const state: Signal<{ readonly value?: T; readonly error?: unknown }> = useSignal({});
  const version = useSignal(0);
  useEffect(() => {
    const controller = new AbortController();
    load(controller.signal).then(
      (value) => {
        if (!controller.signal.aborted) state.value = { value };
      },
      (error: unknown) => {
        if (!controller.signal.aborted) state.value = { error };
      },
    );
    return () => controller.abort();
  }, [...inputs, version.value]);
  return {
    ...state.value,
    reload: () => {
      version.value += 1;
    },
  };
}
