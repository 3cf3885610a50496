import { integer, list, oneOf } from '../../schema/build.ts';
import { PlaybyplayError } from '../../errors.ts';
import { checkSchema } from '../../schema/check.ts';
import type { FromSchema, Schema } from '../../schema/from-schema.ts';
import type { KernelCall } from './graph.ts';
import { allIndices, anyOf, atOffset, type Dependency, sameIndex, scaledBy, withinRadius } from './index-space.ts';
import type { SizedResource } from './run-graph.ts';

const extents = { type: 'array', items: integer([1]), minItems: 1, maxItems: 8 } as const;
const simpleDependency = {
  description:
    '"same": the region with the portion’s own index; "all": all regions; radius: all regions around it; offset: the region at an offset; scale: span regions from scale times the index on.',
  oneOf: [
    { enum: ['same', 'all'] },
    {
      type: 'object',
      additionalProperties: false,
      required: ['radius'],
      properties: { radius: integer([0]) },
    },
    {
      type: 'object',
      additionalProperties: false,
      required: ['offset'],
      properties: { offset: { type: 'array', items: { type: 'integer' }, minItems: 1, maxItems: 8 } },
    },
    {
      type: 'object',
      additionalProperties: false,
      required: ['scale'],
      properties: { scale: { type: 'number', exclusiveMinimum: 0 }, span: integer([1]) },
    },
  ],
} as const;
const dependency = { oneOf: [simpleDependency, { type: 'array', items: simpleDependency, minItems: 1 }] } as const;
const outside = oneOf(
  ['clamp', 'wrap', 'ignore'],
  'What a dependency outside the resource means: the nearest region, the opposite one, or none. Default: clamp.',
);
const name = { type: 'string', minLength: 1 } as const;

/** JSON Schema of a graph of kernel calls, as the command `graph` reads it. */
export const graphSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['calls'],
  properties: {
    resources: list(
      {
        type: 'object',
        additionalProperties: false,
        required: ['name', 'regions', 'bytes'],
        properties: {
          name,
          regions: { ...extents, description: 'Number of regions along each dimension, columns first.' },
          bytes: integer([1], 'Size of a region.'),
        },
      },
      [],
    ),
    calls: list(
      {
        type: 'object',
        additionalProperties: false,
        required: ['name', 'space'],
        properties: {
          name,
          space: { ...extents, description: 'Number of portions along each dimension, columns first.' },
          reads: list(
            {
              type: 'object',
              additionalProperties: false,
              required: ['resource'],
              properties: { resource: name, regions: dependency, outside, grain: { enum: ['portion', 'region'] } },
            },
            [],
          ),
          writes: list(
            {
              type: 'object',
              additionalProperties: false,
              required: ['resource'],
              properties: { resource: name, regions: dependency },
            },
            [],
          ),
          after: list(
            {
              type: 'object',
              additionalProperties: false,
              required: ['call'],
              properties: { call: name, portions: dependency, outside },
            },
            [],
          ),
          ignored: { enum: ['run', 'skip'] },
          devices: { type: 'array', items: integer([0]) },
          allocation: { enum: ['dynamic', 'static'] },
          order: { enum: ['curve', 'in order'] },
        },
      },
      [1],
    ),
  },
} as const satisfies Schema;

/** Limit of the memory of all resources of a graph. */
const MAX_BYTES = 4 * 2 ** 30;

type GraphDescription = FromSchema<typeof graphSchema>;
type SimpleDependency = FromSchema<typeof simpleDependency>;

/** A graph of kernel calls read from JSON. */
export interface Graph {
  readonly calls: readonly KernelCall[];
  readonly resources: readonly SizedResource[];
}

/**
 * Reads a graph of kernel calls from its JSON description.
 *
 * @param value A value that matches `graphSchema`.
 * @param source Name of the file, for issues.
 * @throws PlaybyplayError `invalid-graph` with all issues.
 * @example
 * parseGraph({
 *   resources: [{ name: 'blurred', regions: [6, 4], bytes: 64 }],
 *   calls: [
 *     { name: 'blur', space: [6, 4], writes: [{ resource: 'blurred' }] },
 *     { name: 'edges', space: [6, 4], reads: [{ resource: 'blurred', regions: { radius: 1 } }] },
 *   ],
 * });
 */
export function parseGraph(value: unknown, source = 'graph'): Graph {
  const issues = checkSchema(graphSchema, value, { source });
  if (issues.length > 0)
    throw new PlaybyplayError('invalid-graph', `${source} does not describe a graph of kernel calls`, { issues });
  const { calls, resources = [] } = value as GraphDescription;
  const bytes = resources.reduce((sum, one) => sum + one.regions.reduce((size, extent) => size * extent, one.bytes), 0);
  if (bytes > MAX_BYTES)
    throw new PlaybyplayError(
      'invalid-graph',
      `the resources of ${source} have ${bytes} bytes; the limit is ${MAX_BYTES}`,
      { hint: 'Reduce "regions" or "bytes" of a resource.' },
    );
  const regionsOf = (resource: string) => resources.find((one) => one.name === resource)?.regions ?? [1];
  const spaceOf = (call: string) => calls.find((one) => one.name === call)?.space ?? [1];
  return {
    resources,
    calls: calls.map(({ reads = [], writes = [], after = [], ...call }) => ({
      ...call,
      reads: reads.map(({ regions = 'same', ...read }) => ({
        ...read,
        regions: toDependency(regions, regionsOf(read.resource)),
      })),
      writes: writes.map(({ regions = 'same', ...write }) => ({
        ...write,
        regions: toDependency(regions, regionsOf(write.resource)),
      })),
      after: after.map(({ portions = 'same', ...other }) => ({
        ...other,
        portions: toDependency(portions, spaceOf(other.call)),
      })),
    })),
  };
}

function toDependency(
  description: SimpleDependency | readonly SimpleDependency[],
  extentsOfTarget: readonly number[],
): Dependency {
  if (isList(description)) return anyOf(...description.map((one) => toDependency(one, extentsOfTarget)));
  if (description === 'same') return sameIndex;
  if (description === 'all') return allIndices(extentsOfTarget);
  if ('radius' in description) return withinRadius(description.radius);
  if ('offset' in description) return atOffset(description.offset);
  return scaledBy(description.scale, description.span);
}

function isList(
  description: SimpleDependency | readonly SimpleDependency[],
): description is readonly SimpleDependency[] {
  return Array.isArray(description);
}
