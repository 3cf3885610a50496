import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { EmptyState } from './components/basic.tsx';
import { KeysDialog } from './components/keys-dialog.tsx';
import { useKeys } from './keys.ts';
import { ComparePage } from './pages/compare.tsx';
import { CutPage } from './pages/cut.tsx';
import { authorText } from './author/strings.ts';
import { AuthorPage } from './pages/author.tsx';
import { RecordingsPage } from './pages/recordings.tsx';
import { ReviewPage } from './pages/review.tsx';
import { RulesPage } from './pages/rules.tsx';
import { TestPage } from './pages/test.tsx';
import { linkTo, place } from './router.ts';
import { text } from './strings.ts';
import { nextTheme, theme } from './theme.ts';

/** A page of the studio. */
interface Page {
  readonly title: string;
  readonly component: ComponentType;
  /** Parameters of the address that the page keeps when it is opened from another one. */
  readonly keeps: readonly string[];
}

/** The pages by the name in their address, in the order of the navigation. */
const PAGES: Readonly<Record<string, Page>> = {
  recordings: { title: text.pages.recordings, component: RecordingsPage, keeps: ['recording'] },
  review: { title: text.pages.review, component: ReviewPage, keeps: ['recording'] },
  cut: { title: text.pages.cut, component: CutPage, keeps: ['recording'] },
  author: { title: authorText.pages.author, component: AuthorPage, keeps: ['recording', 'pack', 'game'] },
  rules: { title: authorText.pages.rules, component: RulesPage, keeps: ['recording', 'pack', 'game'] },
  test: { title: authorText.pages.test, component: TestPage, keeps: ['recording', 'pack', 'game'] },
  compare: { title: text.pages.compare, component: ComparePage, keeps: ['recording', 'other'] },
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
        {page ? <page.component /> : <EmptyState title={text.notFound} />}
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

function focusMain(event: Event): void {
  // The address behind # names the page.
  event.preventDefault();
  document.querySelector('main')?.focus();
}
