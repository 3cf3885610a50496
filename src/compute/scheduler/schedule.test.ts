import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeviceError, schedule } from './schedule.ts';
import { Trace } from './trace.ts';

const devicesNamed = (names: string) => names.split(' ').map((name) => ({ name }));
const count = (n: number) => Array.from({ length: n }, (_, i) => i);
/** Gives other devices their turn `turns` times. */
async function delay(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
}
const outOfMemory = () => Promise.reject(new DeviceError('out of memory'));
const chainsOfThree = (index: number) => (index % 3 > 0 ? [index - 1] : []);

describe('schedule', () => {
  it('yields every result once, in the order of the portions, whatever the delays', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(5), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 9 }),
        async (delays, devices, ahead) => {
          const begun = new Set<number>();
          let yielded = 0;
          const results: number[] = [];
          const run = async (portion: number, _: unknown, { index }: { index: number }) => {
            expect(begun.has(index)).toBe(false);
            begun.add(index);
            expect(index).toBeLessThan(yielded + ahead);
            await delay(portion);
            return index * 2;
          };
          for await (const { result } of schedule({
            portions: delays,
            devices: count(devices).map((i) => ({ name: `d${i}` })),
            run,
            ahead,
          })) {
            results.push(result);
            yielded++;
          }
          expect(results).toEqual(delays.map((_, i) => i * 2));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('gives the portions of a failed device to others, each result once', async () => {
    const retired: string[] = [];
    const ran: string[] = [];
    const finished = [];
    for await (const { index, device: by } of schedule({
      portions: count(12),
      devices: devicesNamed('a b c'),
      run: async (portion, device, { attempt }) => {
        ran.push(`${portion} ${device.name} ${attempt}`);
        await delay(1);
        if (device.name === 'b') throw new DeviceError('gone');
      },
      onRetired: ({ name }) => retired.push(name),
    })) {
      finished.push([index, by.name]);
    }
    expect(retired).toEqual(['b']);
    expect(finished.map(([index]) => index)).toEqual(count(12));
    expect(finished.some(([, name]) => name === 'b')).toBe(false);
    expect(ran.filter((line) => line.includes(' b '))).toHaveLength(1);
    expect(ran).toHaveLength(13);
  });

  it('takes the portion of a stuck device away and ignores its late result', async () => {
    const late = Promise.withResolvers<string>();
    const results: string[] = [];
    const devices = [{ name: 'stuck' }, { name: 'sound' }];
    for await (const { result } of schedule({
      portions: count(3),
      devices,
      stuckAfter: 30,
      run: (_, device) => (device.name === 'stuck' ? late.promise : Promise.resolve('sound')),
    })) {
      results.push(result);
    }
    late.resolve('late');
    expect(results).toEqual(['sound', 'sound', 'sound']);
  });

  it('tries a failed portion on another device, and gives up after the attempts allowed', async () => {
    const tries: string[] = [];
    const run = async (portion: number, device: { name: string }) => {
      if (portion === 1) tries.push(device.name);
      await delay(1);
      if (portion === 1 && tries.length < 3) throw new Error('bad luck');
      return portion;
    };
    const results = await Array.fromAsync(schedule({ portions: count(3), devices: devicesNamed('a b'), run }));
    expect(results.map(({ result }) => result)).toEqual([0, 1, 2]);
    expect(tries[0]).not.toBe(tries[1]);
    tries.length = 0;
    const doomed = Array.fromAsync(schedule({ portions: count(3), devices: devicesNamed('a b'), run, attempts: 2 }));
    await expect(doomed).rejects.toMatchObject({
      code: 'portion-failed',
      message: 'portion 1 failed 2 times: bad luck',
    });
  });

  it('says so when no device is left', async () => {
    const doomed = Array.fromAsync(
      schedule({ portions: count(9), devices: devicesNamed('a b'), run: outOfMemory, attempts: 9 }),
    );
    await expect(doomed).rejects.toMatchObject({ code: 'no-device-left' });
  });

  it('stops when aborted, and tells the portions under way', async () => {
    const controller = new AbortController();
    const told: unknown[] = [];
    const run = (portion: number, _: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => told.push(signal.reason));
        if (portion === 0) resolve();
        else if (portion === 2) controller.abort(new Error('enough'));
      });
    const aborted = Array.fromAsync(
      schedule({ portions: count(9), devices: devicesNamed('a b'), run, signal: controller.signal }),
    );
    await expect(aborted).rejects.toThrow('enough');
    expect(told).toEqual([new Error('enough'), new Error('enough')]);
  });

  it('stops when its reader leaves', async () => {
    const begun: number[] = [];
    const run = async (portion: number) => void begun.push(portion);
    for await (const { index } of schedule({ portions: count(100), devices: devicesNamed('a b'), run, ahead: 4 })) {
      if (index === 3) break;
    }
    expect(Math.max(...begun)).toBeLessThan(8);
  });

  it('starts a portion only when those it depends on are done', async () => {
    const done = new Set<number>();
    const run = async (portion: number) => {
      expect(portion % 3 === 0 || done.has(portion - 1)).toBe(true);
      await delay(portion % 5);
      done.add(portion);
    };
    const order = 'as finished' as const;
    const all = await Array.fromAsync(
      schedule({
        portions: count(30),
        devices: devicesNamed('a b c'),
        run,
        dependencies: chainsOfThree,
        order,
        ahead: 30,
      }),
    );
    expect(all.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual(count(30));
  });

  it('writes a trace in which every portion is a span on its device', async () => {
    const trace = new Trace();
    await Array.fromAsync(
      schedule({ portions: count(8), devices: devicesNamed('a b'), run: delay, trace, label: (p) => `chunk ${p}` }),
    );
    const { traceEvents } = JSON.parse(JSON.stringify(trace)) as { traceEvents: Record<string, unknown>[] };
    const runs = traceEvents.filter(({ cat }) => cat === 'run');
    expect(runs.map(({ name }) => name).toSorted()).toEqual(count(8).map((i) => `chunk ${i}`));
    for (const event of runs) expect(event).toMatchObject({ ph: 'X', pid: 1, args: { attempt: 1, outcome: 'done' } });
    const tracks = traceEvents.filter(({ name }) => name === 'thread_name').map(({ args }) => args);
    expect(tracks).toEqual([{ name: 'a' }, { name: 'b' }]);
  });
});
