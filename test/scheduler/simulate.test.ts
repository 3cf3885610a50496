import { describe, expect, it } from 'vitest';
import { filters } from '../fixtures/scheduler/filters.ts';
import { type Policy, simulate } from '../fixtures/scheduler/simulate.ts';

const ours: Policy = { barrier: false, allocation: 'dynamic', options: { ahead: 1 }, readWhileCopying: true };
const links = { latency: 0.2, bandwidth: 5 };

describe('sixteen devices with slow links, portions of uneven cost', () => {
  const machine = { speeds: Array.from({ length: 16 }, () => 1), ...links };
  const workload = filters(24, 16, 1, 4, 0.4);
  const ratio = (policy: Policy) => {
    const { makespan, bound } = simulate(workload, machine, policy);
    return makespan / bound;
  };

  it('come within 5 % of the lower bound with dependencies by region', () => {
    expect(ratio(ours)).toBeLessThanOrEqual(1.05);
  });

  it('take at least 30 % longer than the bound with barriers', () => {
    expect(ratio({ barrier: true, allocation: 'dynamic' })).toBeGreaterThan(1.3);
  });
});

it('a chain of portions takes the sum of their costs on any number of devices', () => {
  const calls = [
    { name: 'chain', space: [1] },
    ...['b', 'c'].map((name, i) => ({ name, space: [1], after: [{ call: ['chain', 'b'][i]! }] })),
  ];
  const workload = { calls, resources: [], bytes: 0, cost: () => 2 };
  const { makespan, bound } = simulate(workload, { speeds: [1, 1, 1], latency: 0, bandwidth: 1 }, ours);
  expect([makespan, bound]).toEqual([6, 6]);
});
