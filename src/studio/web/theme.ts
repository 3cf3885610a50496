import { effect, signal } from '@preact/signals';

/** Which colours are shown; `system` follows the operating system. */
export type Theme = 'system' | 'light' | 'dark';

const STORED = 'playbyplay-theme';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

function stored(): Theme {
  const text = localStorage.getItem(STORED);
  return THEMES.find((each) => each === text) ?? 'system';
}

/** The chosen theme. */
export const theme = signal<Theme>(stored());

/** Shows the chosen theme, and remembers it. */
export function followTheme(): void {
  effect(() => {
    localStorage.setItem(STORED, theme.value);
    document.documentElement.dataset['theme'] = theme.value;
  });
}

/** Chooses the next theme. */
export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length]!;
}
