// Builders of JSON Schema literals, for the keywords that almost every option has.

/** Inclusive bounds of a number; without a maximum, at least the minimum. */
type Range = readonly [minimum?: number, maximum?: number];

/** A type alias, because an interface is no record of keywords. */
type Described<Type> = { readonly type: Type; readonly description?: string };

function annotated<Type>(type: Type, keywords: object, description?: string, preset?: unknown): Described<Type> {
  return {
    type,
    ...keywords,
    ...(preset !== undefined && { default: preset }),
    ...(description !== undefined && { description }),
  };
}

function bounds([minimum, maximum]: Range): object {
  return { ...(minimum !== undefined && { minimum }), ...(maximum !== undefined && { maximum }) };
}

/** A number within a range. @param preset The default. */
export function number(range: Range, description?: string, preset?: number): Described<'number'> {
  return annotated('number', bounds(range), description, preset);
}

/** A number above 0. */
export function positive(maximum: number, description?: string, preset?: number): Described<'number'> {
  return annotated('number', { exclusiveMinimum: 0, maximum }, description, preset);
}

/** A whole number within a range. */
export function integer(range: Range, description?: string, preset?: number): Described<'integer'> {
  return annotated('integer', bounds(range), description, preset);
}

/** True or false. */
export function flag(description?: string, preset?: boolean): Described<'boolean'> {
  return annotated('boolean', {}, description, preset);
}

/** One of several values. */
export function oneOf<const Value>(
  values: readonly Value[],
  description?: string,
  preset?: NoInfer<Value>,
): { readonly enum: readonly Value[] } {
  const { type: _, ...annotations } = annotated(undefined, {}, description, preset);
  return { enum: values, ...annotations };
}

type ObjectSchema<Key extends string, Properties> = {
  readonly type: 'object';
  readonly required: readonly Key[];
  readonly additionalProperties: false;
  readonly description?: string;
  readonly properties: Properties;
};

/**
 * An object with exactly these properties.
 *
 * @param required Names of the properties that must be given.
 *
 * @example
 * const point = object(['x', 'y'], { x: number([0]), y: number([0]) });
 */
export function object<const Key extends string, const Properties>(
  required: readonly Key[],
  properties: Properties,
  description?: string,
): ObjectSchema<Key, Properties> {
  return {
    type: 'object',
    required,
    additionalProperties: false,
    ...(description !== undefined && { description }),
    properties,
  };
}

/** A list of so many items. */
export function list<const Item>(
  items: Item,
  [minItems, maxItems]: Range,
  description?: string,
): { readonly type: 'array'; readonly items: Item; readonly description?: string } {
  return {
    type: 'array',
    ...(minItems !== undefined && minItems > 0 && { minItems }),
    ...(maxItems !== undefined && { maxItems }),
    items,
    ...(description !== undefined && { description }),
  };
}

/** A list of so many items, each once. */
export function uniqueList<const Item>(items: Item, range: Range, description?: string) {
  return { ...list(items, range, description), uniqueItems: true } as const;
}

/** Values by name. */
export function table<const Names, const Values>(
  names: Names,
  values: Values,
  maxProperties: number,
  description?: string,
): { readonly type: 'object'; readonly additionalProperties: Values; readonly [keyword: string]: unknown } {
  return {
    type: 'object',
    maxProperties,
    propertyNames: names,
    ...(description !== undefined && { description }),
    additionalProperties: values,
  } as const;
}
