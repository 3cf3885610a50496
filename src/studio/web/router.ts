import { computed, signal } from '@preact/signals';

/** The address behind `#`: a page and its parameters. */
export interface Place {
  /** Name of the page: `recordings`, `review`, `cut`. */
  readonly page: string;
  readonly parameters: Readonly<Record<string, string>>;
}

function parse(hash: string): Place {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?');
  return { page: path === '' ? 'recordings' : path, parameters: Object.fromEntries(new URLSearchParams(search)) };
}

const current = signal(parse(location.hash));
addEventListener('hashchange', () => {
  current.value = parse(location.hash);
});

/** Where the person is. */
export const place = computed(() => current.value);

/** The address of a page, for links. Parameters without a value are left out. */
export function linkTo(page: string, parameters: Readonly<Record<string, string | undefined>> = {}): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) if (value !== undefined) search.set(key, value);
  const text = search.toString();
  return `#/${page}${text === '' ? '' : `?${text}`}`;
}

/** Goes to a page. */
export function goTo(page: string, parameters: Readonly<Record<string, string | undefined>> = {}): void {
  location.hash = linkTo(page, parameters);
}
