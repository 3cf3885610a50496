import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { exportPack } from '../../api/authoring.ts';
import { call } from '../api-client.ts';
import { EmptyState, ErrorNotice } from '../components/basic.tsx';
import { useKeys } from '../keys.ts';
import { type Authoring, type Pack, type TestRun, trackProgress } from '../author/authoring.ts';
import { Progress } from '../author/png.tsx';
import { type Composed, SentenceInput } from '../author/sentence-input.tsx';
import { authorText } from '../author/strings.ts';
import { PackTimeline, usePackReadings } from '../author/pack-timeline.tsx';
import { AuthorBar, AuthorProblem, withPack } from '../author/work.tsx';
import { Controls } from '../player/controls.tsx';
import { FrameView } from '../player/frame-view.tsx';
import type { Lane } from '../player/lanes.tsx';
import type { Player } from '../player/player.ts';
import { clock } from '../strings.ts';
import { usePlayer } from '../components/recording-page.tsx';

type Test = Pack['tests'][number];
type Mark = Test['marks'][number];
const MAX_SENTENCES = 9;

/** What truly happens in recordings, and what the game finds there. */
export const TestPage = withPack('test', ({ authoring, recording }) => (
  <TestWork key={recording} authoring={authoring} recording={recording} />
));

function TestWork({ authoring, recording }: { readonly authoring: Authoring; readonly recording: string }) {
  const player = usePlayer(recording);
  const readings = usePackReadings(authoring, player);
  const share = useSignal<number | undefined>(undefined);
  const pack = authoring.pack.value!;
  const test = pack.tests.find(({ media }) => media === recording) ?? newTest(recording, pack);
  const t = authorText.test;
  const save = async (next: Partial<Test>): Promise<void> => {
    const { marks, ...rest } = { ...test, ...next };
    await authoring.edit({
      op: 'test',
      test: { ...rest, media: recording, marks: marks.map(({ t: at, statement }) => ({ t: at, statement })) },
    });
  };
  const saveWhole = async (): Promise<void> => {
    const { from: _from, to: _to, marks, ...rest } = test;
    const plain = marks.map(({ t: at, statement }) => ({ t: at, statement }));
    await authoring.edit({ op: 'test', test: { ...rest, media: recording, marks: plain } });
  };
  const now = (): number => Math.round(1000 * (player.shown.value?.t ?? player.t.value)) / 1000;
  const addMark = (statement: Mark['statement']): void => {
    void save({ marks: [...test.marks, { t: now(), statement }].toSorted((a, b) => a.t - b.t) });
  };
  const run = async (only?: string): Promise<TestRun | undefined> => {
    share.value = 0;
    const progress = trackProgress({
      get value() {
        return share.value ?? 0;
      },
      set value(next: number) {
        if (share.value !== undefined) share.value = next;
      },
    });
    try {
      return await authoring.runTests({ job: progress.job, ...(only === undefined ? {} : { media: only }) });
    } catch (error) {
      authoring.error.value = error;
      return undefined;
    } finally {
      progress.stop();
      share.value = undefined;
    }
  };
  const takeOver = async (): Promise<void> => {
    const result = await run(recording);
    if (!result) return;
    const marks = result.events.flatMap(({ t: at, statement, text, isTentative }): Mark[] =>
      statement && !isTentative ? [{ t: at, statement, sentence: text }] : [],
    );
    await save({ marks });
  };
  const tested = authoring.tested.value?.run;
  const lanes = useMemo(
    () => [
      laneOf(
        t.lanes.marks,
        test.marks.map(({ t: at, sentence }) => ({ t: at, text: sentence ?? '' })),
      ),
      ...(tested
        ? [
            laneOf(
              t.lanes.events,
              tested.events.filter(({ media }) => media === recording),
            ),
            laneOf(
              t.lanes.differences,
              tested.differences
                .filter(({ media }) => media === recording)
                .map((one) => ({ t: one.t, text: `${t[one.kind]}: ${one.sentence}` })),
            ),
          ]
        : []),
    ],
    [test.marks, tested, recording],
  );
  useKeys([{ key: 'Control+Enter', does: authorText.keys.run, run: () => void run() }]);
  if (player.error.value !== undefined) return <ErrorNotice error={player.error.value} />;
  return (
    <div class="author-page">
      <h1 class="visually-hidden">{t.title}</h1>
      <AuthorBar authoring={authoring} page="test" recording={recording} />
      <div class="viewer">
        <FrameView player={player} />
        <Controls player={player} />
        <PackTimeline authoring={authoring} player={player} readings={readings} marked={lanes} />
      </div>
      <aside class="author-panel" aria-label={t.title}>
        <AuthorProblem authoring={authoring} />
        <p class="hint panel-hint">{t.explain}</p>
        <Marking authoring={authoring} player={player} onMark={addMark} />
        <section class="panel-section" aria-labelledby="marks-title">
          <h2 id="marks-title">
            {t.marks} <span class="tag">{test.marks.length}</span>
          </h2>
          {test.marks.length === 0 ? (
            <EmptyState title={t.noMarks}>
              <p class="hint">{t.noMarksHint}</p>
            </EmptyState>
          ) : (
            <ul class="mark-list">
              {test.marks.map((mark, i) => (
                <li key={`${mark.t} ${i}`}>
                  <button type="button" class="link" onClick={() => player.seek(mark.t)}>
                    <span class="numbers">{clock(mark.t, 1)}</span> {mark.sentence}
                  </button>
                  <button
                    type="button"
                    class="icon-button"
                    title={t.removeMark(mark.sentence ?? '')}
                    onClick={() => void save({ marks: test.marks.toSpliced(i, 1) })}
                  >
                    <span aria-hidden="true">×</span>
                    <span class="visually-hidden">{t.removeMark(mark.sentence ?? '')}</span>
                  </button>
                </li>
              ))}
            </ul>
          )}
          <label class="check">
            <input
              type="checkbox"
              checked={test.isComplete}
              onChange={(event) => void save({ isComplete: event.currentTarget.checked })}
            />
            <span>{t.complete}</span>
          </label>
          <div class="row">
            <button type="button" onClick={() => void save({ from: now() })}>
              {t.begin}
            </button>
            <button type="button" onClick={() => void save({ to: now() })}>
              {t.end}
            </button>
            {(test.from !== undefined || test.to !== undefined) && (
              <>
                <span class="hint numbers">
                  {t.stretch} {clock(test.from ?? 0, 1)} {t.until} {clock(test.to ?? player.duration.value, 1)}
                </span>
                <button type="button" onClick={() => void saveWhole()}>
                  {t.whole}
                </button>
              </>
            )}
          </div>
          {share.value === undefined ? (
            <div class="row">
              <button
                type="button"
                id="run-tests"
                class="primary"
                disabled={pack.tests.length === 0}
                onClick={() => void run()}
              >
                {t.run}
              </button>
              <button type="button" id="take-over" onClick={() => void takeOver()}>
                {t.takeOver}
              </button>
            </div>
          ) : (
            <Progress share={share.value} label={t.running} />
          )}
        </section>
        <Results authoring={authoring} player={player} recording={recording} />
        <Export authoring={authoring} />
      </aside>
    </div>
  );
}

/** Moments as a lane of the time line. */
function laneOf(name: string, moments: readonly { readonly t: number; readonly text: string }[]): Lane {
  return { name, kind: 'events', marks: moments.map(({ t, text }) => ({ t, end: t, text })) };
}

function newTest(recording: string, { tests }: Pack): Test {
  const stem = recording
    .split('/')
    .at(-1)!
    .replace(/\.\w+$/, '');
  const taken = new Set(tests.map(({ name }) => name));
  let name = stem;
  for (let n = 2; taken.has(name); n++) name = `${stem} ${n}`;
  return { name, media: recording, isComplete: false, marks: [] };
}

/** Sentences that are marked with one key, and any other that is typed. */
function Marking({
  authoring,
  player,
  onMark,
}: {
  readonly authoring: Authoring;
  readonly player: Player;
  readonly onMark: (statement: Mark['statement']) => void;
}) {
  const pack = authoring.pack.value!;
  const typed = useSignal('');
  const composed = useSignal<Composed | undefined>(undefined);
  const isTyping = useSignal(false);
  const sentences = new Map<string, Mark['statement']>();
  // What differs each time is typed.
  for (const { marks } of pack.tests)
    for (const { sentence, statement } of marks)
      if (sentence !== undefined && !/[\d"]/.test(sentence)) sentences.set(sentence, statement);
  for (const { sentence, statement } of pack.rules)
    if (sentence !== undefined && !JSON.stringify(statement).includes('$')) sentences.set(sentence, statement);
  const quick = [...sentences].slice(-MAX_SENTENCES);
  const t = authorText.test;
  useKeys([
    ...quick.map(([sentence, statement], i) => ({ key: String(i + 1), does: sentence, run: () => onMark(statement) })),
    {
      key: 'm',
      does: authorText.keys.mark,
      run: () => {
        player.pause();
        isTyping.value = true;
        requestAnimationFrame(() => document.querySelector<HTMLInputElement>('#mark-sentence')?.focus());
      },
    },
  ]);
  const mark = (): void => {
    const statement = composed.value?.statement;
    if (!statement) return;
    onMark(statement);
    typed.value = '';
    composed.value = undefined;
    isTyping.value = false;
  };
  return (
    <section class="panel-section">
      {quick.length > 0 && (
        <ol class="quick-marks" aria-label={t.sentences}>
          {quick.map(([sentence, statement], i) => (
            <li key={sentence}>
              <button type="button" onClick={() => onMark(statement)}>
                <kbd>{i + 1}</kbd> {sentence}
              </button>
            </li>
          ))}
        </ol>
      )}
      {isTyping.value ? (
        <SentenceInput
          authoring={authoring}
          id="mark-sentence"
          label={t.markAt(clock(player.t.value))}
          value={typed.value}
          example={NO_EXAMPLE}
          onValue={(next) => {
            typed.value = next;
          }}
          onComposed={(next) => {
            composed.value = next;
          }}
          onSubmit={mark}
        />
      ) : (
        <button
          type="button"
          onClick={() => {
            isTyping.value = true;
            requestAnimationFrame(() => document.querySelector<HTMLInputElement>('#mark-sentence')?.focus());
          }}
        >
          {authorText.keys.mark} <kbd>M</kbd>
        </button>
      )}
    </section>
  );
}

/** Marks say what is shown; nothing of them stands for something else. */
const NO_EXAMPLE = { value: ' ', previous: '  ' } as const;

function Results({
  authoring,
  player,
  recording,
}: {
  readonly authoring: Authoring;
  readonly player: Player;
  readonly recording: string;
}) {
  const run = authoring.tested.value?.run;
  const t = authorText.test;
  if (!run) return null;
  return (
    <section class="panel-section" aria-labelledby="results-title">
      <h2 id="results-title">{t.results}</h2>
      <table class="scores">
        <thead>
          <tr>
            <th scope="col">{t.kind}</th>
            <th scope="col">{t.truth}</th>
            <th scope="col">{t.events}</th>
            <th scope="col">{t.precision}</th>
            <th scope="col">{t.recall}</th>
          </tr>
        </thead>
        <tbody>
          {[...run.kinds, run.all].map((score) => (
            <tr key={score.kind}>
              <th scope="row">{score.kind}</th>
              <td>{score.truth}</td>
              <td>{score.events}</td>
              <td>{authorText.percent(score.precision)}</td>
              <td>{authorText.percent(score.recall)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="hint">{t.explainScores}</p>
      <p class="hint">{t.stored(Math.round(100 * run.stored))}</p>
      <h2>
        {t.differences} <span class="tag">{run.differences.length}</span>
      </h2>
      {run.differences.length === 0 ? (
        <p class="hint">{t.noDifferences}</p>
      ) : (
        <ul class="mark-list">
          {run.differences.map((one, i) => (
            <li key={i}>
              <button
                type="button"
                class="link"
                disabled={one.media !== recording}
                onClick={() => {
                  player.seek(one.t);
                  player.reveal(one.t);
                }}
              >
                <span class={one.kind === 'missed' ? 'tag tag-warn' : 'tag tag-bad'}>{t[one.kind]}</span>
                <span class="numbers">{clock(one.t, 1)}</span> {one.sentence}
                {one.instead !== undefined && <span class="hint"> {t.instead(one.instead)}</span>}
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

type Format = 'folder' | 'zip' | 'npm' | 'labels-folders' | 'labels-coco' | 'labels-yolo';
const FORMATS: readonly Format[] = ['zip', 'folder', 'npm', 'labels-folders', 'labels-coco', 'labels-yolo'];

function Export({ authoring }: { readonly authoring: Authoring }) {
  const format = useSignal<Format>('zip');
  const target = useSignal('');
  const done = useSignal('');
  const t = authorText.test;
  const usual = format.value === 'zip' ? `${authoring.game}.zip` : `${authoring.game}-${format.value}`;
  const save = async (): Promise<void> => {
    done.value = '';
    try {
      const folder = authoring.path.split('/')[0]!;
      const name = target.value.trim() === '' ? usual : target.value.trim();
      const body = { ...authoring.id, format: format.value, target: `${folder}/exports/${name}` };
      const made = await call(exportPack, { body });
      done.value = t.exported(made.target, made.files);
    } catch (error) {
      authoring.error.value = error;
    }
  };
  return (
    <section class="panel-section" aria-labelledby="export-title">
      <h2 id="export-title">{t.export}</h2>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <label class="field">
          <span>{t.format}</span>
          <select
            value={format.value}
            onChange={(event) => {
              format.value = event.currentTarget.value as Format;
            }}
          >
            {FORMATS.map((one) => (
              <option key={one} value={one}>
                {t.formats[one]}
              </option>
            ))}
          </select>
        </label>
        <label class="field grow">
          <span>{t.target}</span>
          <input
            placeholder={usual}
            value={target.value}
            onInput={(event) => {
              target.value = event.currentTarget.value;
            }}
          />
        </label>
        <button type="submit" id="export">
          {t.exportNow}
        </button>
      </form>
      <p class="hint" role="status">
        {done.value}
      </p>
    </section>
  );
}
