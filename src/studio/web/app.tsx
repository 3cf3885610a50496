import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { EmptyState, ErrorNotice, Loading } from './components/basic.tsx';
import { useLoaded } from './components/load.ts';
import { KeysDialog } from './components/keys-dialog.tsx';
import { useKeys } from './keys.ts';
import { authorText } from './author/strings.ts';
import { linkTo, place } from './router.ts';
import { text } from './strings.ts';
import { nextTheme, theme } from './theme.ts';

/** A page of the studio. */
interface Page {
  readonly title: string;
  /** Loads the page when it is opened for the first time. */
  readonly load: () => Promise<ComponentType>;
  /** Parameters of the address that the page keeps when it is opened from another one. */
  readonly keeps: readonly string[];
}

/** The pages by the name in their address, in the order of the navigation. */
const PAGES: Readonly<Record<string, Page>> = {
  recordings: {
    title: text.pages.recordings,
    load: async () => (await import('./pages/recordings.tsx')).RecordingsPage,
    keeps: ['recording'],
  },
  review: {
    title: text.pages.review,
    load: async () => (await import('./pages/review.tsx')).ReviewPage,
    keeps: ['recording'],
  },
  cut: { title: text.pages.cut, load: async () => (await import('./pages/cut.tsx')).CutPage, keeps: ['recording'] },
  author: {
    title: authorText.pages.author,
    load: async () => (await import('./pages/author.tsx')).AuthorPage,
    keeps: ['recording', 'pack', 'game'],
  },
  rules: {
    title: authorText.pages.rules,
    load: async () => (await import('./pages/rules.tsx')).RulesPage,
    keeps: ['recording', 'pack', 'game'],
  },
  test: {
    title: authorText.pages.test,
    load: async () => (await import('./pages/test.tsx')).TestPage,
    keeps: ['recording', 'pack', 'game'],
  },
  compare: {
    title: text.pages.compare,
    load: async () => (await import('./pages/compare.tsx')).ComparePage,
    keeps: ['recording', 'other'],
  },
};

const THEME_SYMBOLS = { system: '◐', light: '☀', dark: '☾' } as const;

/** The shell: navigation and the page that the address names. */
export function App() {
  const areKeysShown = useSignal(false);
  const { page: name, parameters } = place.value;
  const page = PAGES[name];
  const showKeys = (): void => {
    areKeysShown.value = true;
  };
  useKeys([{ key: '?', does: text.keys.title, run: showKeys }]);
  document.title = `${page?.title ?? text.notFound} · ${text.product}`;
  return (
    <>
      <a class="skip-link" href="#main" onClick={(event) => focusMain(event)}>
        {text.skip}
      </a>
      <header class="top-bar">
        <a class="brand" href={linkTo('recordings')}>
          {text.product} <span>{text.studio}</span>
        </a>
        <nav aria-label={text.navigation}>
          {Object.entries(PAGES).map(([key, { title, keeps }]) => (
            <a
              key={key}
              href={linkTo(key, Object.fromEntries(keeps.map((each) => [each, parameters[each]])))}
              aria-current={key === name ? 'page' : undefined}
            >
              {title}
            </a>
          ))}
        </nav>
        <div class="top-bar-tools">
          <button type="button" class="icon-button" title={text.theme[theme.value]} onClick={nextTheme}>
            <span aria-hidden="true">{THEME_SYMBOLS[theme.value]}</span>
            <span class="visually-hidden">{text.theme[theme.value]}</span>
          </button>
          <button type="button" class="icon-button" title={text.keys.hint} onClick={showKeys}>
            <span aria-hidden="true">?</span>
            <span class="visually-hidden">{text.keys.open}</span>
          </button>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {page ? <LoadedPage key={name} load={page.load} /> : <EmptyState title={text.notFound} isPage />}
      </main>
      {areKeysShown.value && (
        <KeysDialog
          onClose={() => {
            areKeysShown.value = false;
          }}
        />
      )}
    </>
  );
}

/** A page, once its code is there. */
function LoadedPage({ load }: Pick<Page, 'load'>) {
  const { value: component, error, reload } = useLoaded(async () => ({ Content: await load() }), []);
  if (error !== undefined) return <ErrorNotice error={error} retry={reload} />;
  return component ? <component.Content /> : <Loading />;
}

function focusMain(event: Event): void {
  // The address behind # names the page.
  event.preventDefault();
  document.querySelector('main')?.focus();
}
