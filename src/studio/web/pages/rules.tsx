import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { searchWords } from '../../api/authoring.ts';
import { call } from '../api-client.ts';
import { EmptyState } from '../components/basic.tsx';
import { useLoaded } from '../components/load.ts';
import type { Authoring, Pack, TestRun } from '../author/authoring.ts';
import { Breakpoints, Stops } from '../author/breakpoints.tsx';
import { ScriptEditor } from '../author/script-editor.tsx';
import { type Composed, SentenceInput } from '../author/sentence-input.tsx';
import { authorText } from '../author/strings.ts';
import { AuthorBar, AuthorProblem, FilesNotice, withPack } from '../author/work.tsx';
import { clock } from '../strings.ts';

type Rule = Pack['rules'][number];
type Trigger = Rule['trigger'];
const TRIGGERS: readonly Trigger[] = ['changes', 'rises', 'falls', 'shows', 'appears', 'disappears'];

/** What the elements mean: rules as sentences, and the script. */
export const RulesPage = withPack('rules', ({ authoring, recording }) => (
  <RulesWork authoring={authoring} recording={recording} />
));

function RulesWork({ authoring, recording }: { readonly authoring: Authoring; readonly recording: string }) {
  const { rules, elements } = authoring.pack.value!;
  const edited = useSignal<Rule | undefined>(undefined);
  const t = authorText.rules;
  return (
    <div class="author-sheet">
      <AuthorBar authoring={authoring} page="rules" recording={recording} />
      <section class="page rules-page" aria-labelledby="rules-title">
        <h1 id="rules-title">{t.title}</h1>
        <AuthorProblem authoring={authoring} />
        {elements.some(({ status }) => status !== 'refused') && (
          <RuleForm
            key={edited.value?.indices.join(' ') ?? 'new'}
            authoring={authoring}
            rule={edited.value}
            onSaved={() => {
              edited.value = undefined;
            }}
          />
        )}
        {rules.length === 0 ? (
          <EmptyState title={t.none}>
            <p class="hint">{t.noneHint}</p>
          </EmptyState>
        ) : (
          <ul class="rule-list">
            {rules.map((rule) => (
              <li key={rule.indices.join(' ')} data-problem={rule.issues.length > 0}>
                <p>
                  <span class="hint">{t.when}</span> <strong>{rule.element}</strong> {t.triggers[rule.trigger]}
                  {rule.match !== undefined && <code> {rule.match}</code>}
                </p>
                <p class="rule-sentence">
                  {rule.sentence ?? rule.issues.map(({ message }) => message).join('; ')}
                  {rule.isDetailed && <span class="hint"> · {t.detailed}</span>}
                </p>
                <span class="row">
                  <button
                    type="button"
                    onClick={() => {
                      edited.value = rule;
                    }}
                  >
                    {t.edit}
                  </button>
                  <button
                    type="button"
                    onClick={() => void authoring.edit({ op: 'remove-rule', indices: [...rule.indices] })}
                  >
                    {t.remove}
                  </button>
                </span>
              </li>
            ))}
          </ul>
        )}
        <WordForm authoring={authoring} />
        <ScriptPart authoring={authoring} recording={recording} />
        <FilesNotice authoring={authoring} />
      </section>
    </div>
  );
}

function RuleForm({
  authoring,
  rule,
  onSaved,
}: {
  readonly authoring: Authoring;
  readonly rule: Rule | undefined;
  readonly onSaved: () => void;
}) {
  const elements = authoring.pack.value!.elements.filter(({ status }) => status !== 'refused');
  const name = useSignal(rule?.element ?? authoring.selected.value ?? elements[0]!.name);
  const trigger = useSignal<Trigger>(rule?.trigger ?? 'changes');
  const match = useSignal(rule?.match ?? '');
  const sentence = useSignal(rule?.sentence ?? '');
  const composed = useSignal<Composed | undefined>(undefined);
  const element = elements.find((one) => one.name === name.value) ?? elements[0]!;
  const example = element.example ?? { previous: 4, value: 3 };
  const t = authorText.rules;
  const other = authoring.pack.value!.rules.find(
    (one) => !rule && one.element === element.name && one.trigger === trigger.value && one.match === undefined,
  );
  useEffect(() => {
    // The rule was chosen in the list, which may be far below.
    if (rule) document.querySelector<HTMLInputElement>('#rule-sentence')?.focus();
  }, [rule]);
  const save = async (): Promise<void> => {
    const statement = composed.value?.statement;
    if (!statement) return;
    const next = {
      element: element.name,
      trigger: trigger.value,
      statement,
      ...(match.value.trim() === '' ? {} : { match: match.value.trim() }),
      ...(rule?.by === undefined ? {} : { by: rule.by }),
      ...(rule?.below === undefined ? {} : { below: rule.below }),
      ...(rule?.above === undefined ? {} : { above: rule.above }),
    };
    const isSaved = await authoring.edit(
      rule ? { op: 'replace-rule', rule: next, indices: [...rule.indices] } : { op: 'add-rule', rule: next },
    );
    if (!isSaved) return;
    sentence.value = '';
    composed.value = undefined;
    onSaved();
  };
  return (
    <form
      class="card rule-form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div class="row">
        <label class="field grow">
          <span>{t.when}</span>
          <select
            id="rule-element"
            aria-label={t.element}
            value={element.name}
            onChange={(event) => {
              name.value = event.currentTarget.value;
            }}
          >
            {elements.map((one) => (
              <option key={one.name}>{one.name}</option>
            ))}
          </select>
        </label>
        <label class="field grow">
          <span>{t.trigger}</span>
          <select
            id="rule-trigger"
            value={trigger.value}
            onChange={(event) => {
              trigger.value = event.currentTarget.value as Trigger;
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
          <span>{t.match}</span>
          <input
            id="rule-match"
            list="rule-values"
            value={match.value}
            spellcheck={false}
            onInput={(event) => {
              match.value = event.currentTarget.value;
            }}
          />
        </label>
      </div>
      <datalist id="rule-values">
        {Object.keys(element.detector['clips'] ?? element.detector['icons'] ?? element.detector['colors'] ?? {}).map(
          (one) => (
            <option key={one} value={`^${one.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`}>
              {one}
            </option>
          ),
        )}
      </datalist>
      <SentenceInput
        authoring={authoring}
        id="rule-sentence"
        label={t.say}
        value={sentence.value}
        example={example}
        onValue={(next) => {
          sentence.value = next;
        }}
        onComposed={(next) => {
          composed.value = next;
        }}
        onSubmit={() => void save()}
      />
      <p class="hint">{t.example(String(example.previous), String(example.value))}</p>
      {other?.sentence !== undefined && match.value === '' && <p class="hint">{t.alreadySaid(other.sentence)}</p>}
      <div class="row">
        <button type="submit" class="primary" disabled={!composed.value?.statement}>
          {rule ? t.save : t.add}
        </button>
        {rule && (
          <button type="button" onClick={onSaved}>
            {authorText.cancel}
          </button>
        )}
      </div>
    </form>
  );
}

type Kind = 'object' | 'action' | 'property';

function WordForm({ authoring }: { readonly authoring: Authoring }) {
  const { words } = authoring.pack.value!;
  const kind = useSignal<Kind>('object');
  const name = useSignal('');
  const parent = useSignal('');
  const definition = useSignal('');
  const { value: found } = useLoaded(
    (signal) => call(searchWords, { query: { ...authoring.id, text: parent.value, kind: kind.value }, signal }),
    [parent.value, kind.value],
  );
  const known = found?.words.find((word) => word.id === parent.value);
  const t = authorText.rules;
  const add = async (): Promise<void> => {
    const edit = {
      op: 'add-word',
      kind: kind.value,
      name: name.value.trim(),
      parent: parent.value,
      definition: definition.value.trim(),
    } as const;
    if (!(await authoring.edit(edit))) return;
    [name.value, parent.value, definition.value] = ['', '', ''];
  };
  return (
    <details class="card">
      <summary>
        <h2>{t.word}</h2>
      </summary>
      {words.length > 0 && (
        <>
          <h3>{t.ownWords}</h3>
          <ul class="word-list">
            {words.map((word) => (
              <li key={`${word.kind} ${word.name}`}>
                <strong>{word.name}</strong> <span class="hint">{word.definition}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <div class="row">
          <label class="field">
            <span>{t.wordKind}</span>
            <select
              value={kind.value}
              onChange={(event) => {
                kind.value = event.currentTarget.value as Kind;
              }}
            >
              {(['object', 'action', 'property'] as const).map((one) => (
                <option key={one} value={one}>
                  {t.wordKinds[one]}
                </option>
              ))}
            </select>
          </label>
          <label class="field grow">
            <span>{t.wordName}</span>
            <input
              value={name.value}
              onInput={(event) => {
                name.value = event.currentTarget.value;
              }}
            />
          </label>
          <label class="field grow">
            <span>{t.wordParent}</span>
            <input
              list="word-parents"
              value={parent.value}
              onInput={(event) => {
                parent.value = event.currentTarget.value;
              }}
            />
          </label>
        </div>
        <datalist id="word-parents">
          {found?.words.map((word) => (
            <option key={word.id} value={word.id}>
              {word.definition}
            </option>
          ))}
        </datalist>
        {known && (
          <p class="hint">
            {[...known.ancestors.toReversed(), known.name].join(' › ')}: {known.definition}
          </p>
        )}
        <label class="field">
          <span>{t.wordDefinition}</span>
          <input
            value={definition.value}
            onInput={(event) => {
              definition.value = event.currentTarget.value;
            }}
          />
        </label>
        <button type="submit" disabled={!known || name.value.trim() === '' || definition.value.trim() === ''}>
          {t.addWord}
        </button>
      </form>
    </details>
  );
}

function ScriptPart({ authoring, recording }: { readonly authoring: Authoring; readonly recording: string }) {
  const source = useSignal<string | undefined>(undefined);
  const run = useSignal<TestRun | undefined>(undefined);
  const isRunning = useSignal(false);
  const isShown = useSignal(authoring.pack.value!.script !== '' || authoring.breakpoints.value.length > 0);
  const t = authorText.rules;
  const save = async (): Promise<void> => {
    if (source.value !== undefined && !(await authoring.edit({ op: 'script', source: source.value }))) return;
    isRunning.value = true;
    try {
      const breakpoints = [...authoring.breakpoints.value];
      run.value = await authoring.runTests({ media: recording, breakpoints });
    } catch (error) {
      authoring.error.value = error;
    } finally {
      isRunning.value = false;
    }
  };
  return (
    <details
      class="card"
      open={isShown.value}
      onToggle={(event) => {
        isShown.value = event.currentTarget.open;
      }}
    >
      <summary>
        <h2>{t.script}</h2>
      </summary>
      <p class="hint">{t.scriptExplain}</p>
      {isShown.value && (
        <ScriptEditor
          authoring={authoring}
          label={t.script}
          onChange={(next) => {
            source.value = next;
          }}
        />
      )}
      <Breakpoints authoring={authoring} />
      <div class="row">
        <button type="button" id="run-script" class="primary" disabled={isRunning.value} onClick={() => void save()}>
          {isRunning.value ? authorText.test.running : `${t.saveScript} · ${authorText.test.runHere}`}
        </button>
        {run.value && (
          <span class="hint">
            {authorText.test.found(run.value.events.length)} ·{' '}
            {authorText.test.stored(Math.round(100 * run.value.stored))}
          </span>
        )}
      </div>
      {run.value && run.value.stops.length > 0 && <Stops stops={run.value.stops} recording={recording} />}
      {run.value && run.value.warnings.length > 0 && (
        <ul class="issue-list">
          {run.value.warnings.map(({ message, path }) => (
            <li key={`${path} ${message}`}>{message}</li>
          ))}
        </ul>
      )}
      {run.value && run.value.notes.length > 0 && (
        <>
          <h3>{t.notes}</h3>
          <ul class="issue-list">
            {run.value.notes.map(({ t: at, text }, i) => (
              <li key={i}>
                <span class="numbers">{clock(at)}</span> {text}
              </li>
            ))}
          </ul>
        </>
      )}
    </details>
  );
}
