import { computed, effect, signal } from '@preact/signals';

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

const system = matchMedia('(prefers-color-scheme: dark)');
const isSystemDark = signal(system.matches);
system.addEventListener('change', () => {
  isSystemDark.value = system.matches;
});

/** The colours that are shown: what is drawn on canvases depends on it. */
export const shownTheme = computed<'light' | 'dark'>(() =>
  theme.value === 'system' ? (isSystemDark.value ? 'dark' : 'light') : theme.value,
);

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
