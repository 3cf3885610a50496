import { setTimeout as sleep } from 'node:timers/promises';
import { formatClock } from '../time.ts';
import type { ClipRecorder } from './clips.ts';
import type { ObsClient } from './obs.ts';
import type { TriggerAction, TriggerMatch } from './triggers.ts';
import type { Webhooks } from './webhook.ts';

/** What triggers act on. */
export interface ActionTargets {
  readonly obs: ObsClient;
  readonly webhooks: Webhooks;
  readonly clips: ClipRecorder;
  readonly game: string;
  readonly signal: AbortSignal;
}

/** Actions that run at a time: beyond, further ones are left out. */
const MAX_RUNNING = 50;

/** Does what triggers ask for, without the session waiting for it. */
export class ActionRunner implements AsyncDisposable {
  readonly #targets: ActionTargets;
  readonly #onProblem: (message: string) => void;
  readonly #running = new Set<Promise<void>>();

  constructor(targets: ActionTargets, onProblem: (message: string) => void) {
    this.#targets = targets;
    this.#onProblem = onProblem;
  }

  /** Begins the actions of a match. */
  run(match: TriggerMatch): void {
    for (const action of match.actions) {
      if (this.#running.size >= MAX_RUNNING) {
        this.#onProblem(`${action.action} was left out: ${MAX_RUNNING} actions are running already`);
        continue;
      }
      const work: Promise<void> = this.#act(action, match)
        .catch((error: unknown) => {
          if (!this.#targets.signal.aborted) throw error;
        })
        .finally(() => this.#running.delete(work));
      this.#running.add(work);
    }
  }

  async #act(action: TriggerAction, match: TriggerMatch): Promise<void> {
    const { obs, webhooks, clips, signal } = this.#targets;
    if (action.action === 'save-replay') {
      // Where the session ends meanwhile, it is saved then.
      if (action.delay) await sleep(1000 * action.delay, undefined, { signal }).catch(() => undefined);
      await obs.saveReplay();
    } else if (action.action === 'switch-scene') {
      const before = action.seconds === undefined ? undefined : await obs.currentScene();
      if (!(await obs.showScene(action.scene!)) || before === undefined || before === action.scene) return;
      // Back to the scene before also where the session ends meanwhile.
      await sleep(1000 * action.seconds!, undefined, { signal }).catch(() => undefined);
      await obs.showScene(before);
    } else if (action.action === 'chapter') await obs.markChapter(this.#fill(action.name ?? '{text}', match));
    else if (action.action === 'webhook')
      await webhooks.post(action.url!, this.#fill(action.message ?? '{time} {text}', match));
    else clips.cut(match.t - (action.before ?? 10), match.end + (action.after ?? 5), match.events.at(-1)!.text);
  }

  /** Replaces the names in braces. */
  #fill(template: string, { events, t, query }: TriggerMatch): string {
    const values: Readonly<Record<string, string>> = {
      text: events.map(({ text }) => text).join('; '),
      time: formatClock(t, 0),
      game: this.#targets.game,
      query,
    };
    return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
  }

  /** Waits for what has begun. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#running);
  }
}
