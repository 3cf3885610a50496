import type { EventLine } from '../../events/log.ts';
import { isPropertyStatement } from '../../events/statement.ts';
import { identityOf } from './bind.ts';
import { tested, type Compiled, type SessionEvents } from './combine.ts';

/** Seconds within which "opponent kills player" and "player dies" are one happening. */
const sameMoment = 1;

/**
 * What a pattern asks for, said directly ("player dies") or by what caused it ("opponent kills player"). Where a log has
 * both, only the direct one counts.
 */
export function orCaused(direct: Compiled, caused: Compiled): Compiled {
  const screens = [direct.screen, caused.screen].map((screen) => screen?.tests.find(({ column }) => column === 'head'));
  const [said, causing] = screens;
  const tests =
    said && causing ? [{ column: 'head' as const, intervals: [...said.intervals, ...causing.intervals] }] : [];
  return tested(
    (session) => {
      const isDirect = direct.test!(session);
      const isCaused = caused.test!(session);
      let told: ReadonlyMap<string, readonly number[]> | undefined;
      return (event) => {
        if (isDirect(event)) return true;
        if (!isCaused(event)) return false;
        told ??= timesOf(direct, session);
        const times = told.get(victimOf(event)) ?? [];
        return !times.some((t) => Math.abs(t - event.t) <= sameMoment);
      };
    },
    { tests, exact: false },
  );
}

/** When each one did it, as said directly. */
function timesOf(direct: Compiled, session: SessionEvents): ReadonlyMap<string, readonly number[]> {
  const times = new Map<string, number[]>();
  for (const { t, events } of direct.find(session)) {
    const { subject } = events[0]!.statement;
    if (subject === undefined) continue;
    const key = identityOf(subject);
    times.set(key, [...(times.get(key) ?? []), t]);
  }
  return times;
}

function victimOf({ statement }: EventLine): string {
  return isPropertyStatement(statement) || statement.object === undefined ? '' : identityOf(statement.object);
}
