import type { Schema, SchemaObject } from '../schema/from-schema.ts';
import { PROFILE_SCHEMA } from './profile.ts';

/** What checking a profile needs to know of a detector kind. */
export interface KindInfo {
  /** Schema of the options that the kind adds to those of every detector. */
  readonly schema: Schema;
  readonly input: 'frame' | 'frame-pair' | 'audio' | 'records';
  /** Whether, with these options, its readings say where in the frame they are. */
  readonly places?: ((options: Readonly<Record<string, unknown>>) => boolean) | undefined;
}

/** The detector kinds and preprocessing steps that a profile can use. */
export interface KindCatalog {
  /** Names of all kinds. */
  readonly names: readonly string[];
  /** Those of the kinds that the profile uses, by name. */
  readonly kinds: ReadonlyMap<string, KindInfo>;
  /** Schema of a region's `preprocess` list, with an `$id`; needed where a region has one. */
  readonly preprocess?: Schema;
}

const detectorSchemas = new WeakMap<KindInfo, SchemaObject>();

/**
 * The schema of a detector of a kind: the kind's own options and, by name only, those of every detector, which
 * `PROFILE_SCHEMA` checks.
 */
export function detectorSchema(name: string, kind: KindInfo): SchemaObject {
  let schema = detectorSchemas.get(kind);
  if (schema === undefined) {
    const common = PROFILE_SCHEMA.properties.detectors.additionalProperties.properties;
    const names = Object.fromEntries(Object.keys(common).map((property) => [property, true]));
    const own: SchemaObject = typeof kind.schema === 'boolean' ? {} : kind.schema;
    schema = {
      additionalProperties: kind.schema === true,
      ...own,
      $id: `urn:playbyplay:detector:${name}`,
      properties: { ...names, ...(own['properties'] as object | undefined) },
    };
    detectorSchemas.set(kind, schema);
  }
  return schema;
}

/** The JSON Schema of a profile as it is published, with the options of every kind of the catalog and of the steps. */
export function publishedProfileSchema({ names, kinds, preprocess }: KindCatalog): SchemaObject {
  const { properties } = PROFILE_SCHEMA;
  const [region, detector] = [properties.regions.additionalProperties, properties.detectors.additionalProperties];
  const steps = typeof preprocess === 'object' ? { preprocess: { $ref: preprocess['$id'] } } : {};
  return {
    ...PROFILE_SCHEMA,
    properties: {
      ...properties,
      regions: {
        ...properties.regions,
        additionalProperties: { ...region, properties: { ...region.properties, ...steps } },
      },
      detectors: {
        ...properties.detectors,
        additionalProperties: {
          ...detector,
          properties: { ...detector.properties, kind: { enum: names } },
          allOf: [...kinds].map(([name, kind]) => {
            const { $id: _, ...schema } = detectorSchema(name, kind);
            // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
            return { if: { properties: { kind: { const: name } }, required: ['kind'] }, then: schema };
          }),
        },
      },
    },
    ...(preprocess === undefined ? {} : { $defs: { preprocess } }),
  };
}
