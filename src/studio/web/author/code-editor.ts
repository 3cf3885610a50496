import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { javascript } from '@codemirror/lang-javascript';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, tooltips } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { basicSetup } from 'codemirror';
import { searchWords } from '../../api/authoring.ts';
import { call } from '../api-client.ts';

/** An open editor. */
export interface ScriptEditor {
  /** Replaces the text where the script was changed elsewhere. */
  setSource(source: string): void;
  /** Shows mistakes at their lines. */
  mark(issues: readonly { readonly path?: string; readonly message: string; readonly hint?: string }[]): void;
  close(): void;
}

/** What scripts can call, as the guide to scripts lists it. */
const GAME: readonly (readonly [string, string])[] = [
  ['t', 'The time of this call, in seconds'],
  ['setAt', "In a timer's call, the exact time at which it was set"],
  ['state', 'An object of the script that persists between calls'],
  ['emit(', 'emit(statement, {t, end, confidence, cues, support, alone, tentative}): makes a statement'],
  ['reading(', 'reading(detector): what it reads now; undefined if nothing is there'],
  ['last(', 'last(detector): what it read last, even if that is lost'],
  ['since(', 'since(detector): when that began, in seconds'],
  ['recent(', 'recent(seconds, detector): the cues of the last seconds'],
  ['after(', 'after(seconds, fn): calls fn(game) that much later in the recording'],
  ['cancel(', 'cancel(id): cancels a timer'],
  ['note(', 'note(value): shows a value to the author'],
];
const CUE: readonly (readonly [string, string])[] = [
  ['t', 'Time in seconds at which the new reading began'],
  ['detector', 'Where it was read'],
  ['region', 'The region of the detector'],
  ['trigger', 'found, changed or lost'],
  ['value', 'The reading'],
  ['previous', 'The reading before'],
  ['confidence', '0 to 1'],
  ['first', 'True if it was found in the first reading of all'],
  ['detail', 'Further information of the detector'],
];
const TRIGGERS = ['found', 'changed', 'lost'];

/** Colours of the tokens of the pages, which suit both themes. */
const COLORS = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--accent)' },
  { tag: [tags.string, tags.regexp], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: tags.comment, color: 'var(--text-soft)', fontStyle: 'italic' },
  { tag: [tags.variableName, tags.propertyName, tags.definition(tags.variableName)], color: 'var(--text)' },
]);

/**
 * Opens an editor in an element. It lives in a shadow root: its styles are then constructed, which the content security policy allows.
 */
export function openScriptEditor(
  host: HTMLElement,
  options: {
    readonly source: string;
    readonly label: string;
    readonly elements: () => readonly string[];
    readonly id: { readonly path: string; readonly game: string };
    readonly onChange: (source: string) => void;
  },
): ScriptEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  root.replaceChildren();
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: options.source,
      extensions: [
        basicSetup,
        javascript(),
        syntaxHighlighting(COLORS),
        autocompletion({ override: [(context) => complete(context, options)] }),
        tooltips({ position: 'absolute' }),
        EditorView.contentAttributes.of({ 'aria-label': options.label }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) options.onChange(state.doc.toString());
        }),
        EditorView.theme({
          '&': { color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '13px', minHeight: '220px' },
          '.cm-content': { fontFamily: 'var(--font-mono)', caretColor: 'var(--text)' },
          '.cm-gutters': {
            backgroundColor: 'var(--surface-2)',
            color: 'var(--text-soft)',
            borderColor: 'var(--border)',
          },
          '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--surface-2)' },
          '&.cm-focused': { outline: '2px solid var(--accent)' },
          '.cm-tooltip': { backgroundColor: 'var(--surface)', color: 'var(--text)', borderColor: 'var(--border)' },
          '.cm-tooltip-autocomplete ul li[aria-selected]': {
            backgroundColor: 'var(--accent-soft)',
            color: 'var(--text)',
          },
          '.cm-completionDetail': { color: 'var(--text-soft)', fontStyle: 'normal' },
          '.cm-completionIcon': { display: 'none' },
          '.cm-cursor': { borderLeftColor: 'var(--text)' },
          '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
            backgroundColor: 'var(--accent-soft) !important',
          },
        }),
      ],
    }),
  });
  return {
    setSource(source) {
      if (view.state.doc.toString() === source || view.hasFocus) return;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: source } });
    },
    mark(issues) {
      const { doc } = view.state;
      const diagnostics = issues.flatMap(({ path = '', message, hint }): Diagnostic[] => {
        const line = /\.js:(\d+)/.exec(path)?.[1];
        if (line === undefined || Number(line) > doc.lines) return [];
        const { from, to } = doc.line(Number(line));
        return [{ from, to, severity: 'error', message: hint === undefined ? message : `${message} ${hint}` }];
      });
      view.dispatch(setDiagnostics(view.state, diagnostics));
    },
    close: () => view.destroy(),
  };
}

/** Completes members of `game` and `cue`, names of detectors, triggers, and words of the dictionary in statements. */
async function complete(
  context: CompletionContext,
  {
    elements,
    id,
  }: { readonly elements: () => readonly string[]; readonly id: { readonly path: string; readonly game: string } },
): Promise<CompletionResult | null> {
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  const member = /\b(game|cue)\.(\w*)$/.exec(before);
  if (member) {
    const members = member[1] === 'game' ? GAME : CUE;
    const choices = members.map(([label, detail]): Completion => ({ label, detail, type: 'property' }));
    return { from: context.pos - member[2]!.length, options: choices };
  }
  const word = /\b(action|property|subject|object|with|word):\s*['"]([^'"]*)$/.exec(before);
  if (word) {
    const kind = word[1] === 'action' ? 'action' : word[1] === 'property' ? 'property' : 'object';
    const { words } = await call(searchWords, { query: { ...id, text: word[2]!, kind } });
    const choices = words.map((one): Completion => ({ label: one.id, detail: one.definition, type: 'text' }));
    return { from: context.pos - word[2]!.length, options: choices, filter: false };
  }
  const text =
    /(detector|trigger)\s*===?\s*['"]([^'"]*)$|(?:reading|last|since|recent)\((?:[^,)]*,\s*)?['"]([^'"]*)$/.exec(
      before,
    );
  if (!text) return null;
  const typed = text[2] ?? text[3] ?? '';
  const names = text[1] === 'trigger' ? TRIGGERS : elements();
  return { from: context.pos - typed.length, options: names.map((label): Completion => ({ label, type: 'constant' })) };
}
