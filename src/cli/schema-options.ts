type Schema = Readonly<Record<string, unknown>>;

/** One property of an options schema, described for people. */
export interface SchemaOption {
  readonly name: string;
  /** The type in words: `number, 0 to 255`; `one of fixed, otsu, adaptive`. */
  readonly type: string;
  readonly required: boolean;
  readonly default?: unknown;
  readonly description?: string;
}

/** Describes the properties of a JSON Schema of options. */
export function describeSchemaOptions(schema: Schema): readonly SchemaOption[] {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, Schema>; required?: string[] };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    type: describeType(property),
    required: required.includes(name),
    ...(property['default'] === undefined ? {} : { default: property['default'] }),
    ...(typeof property['description'] === 'string' ? { description: property['description'] } : {}),
  }));
}

function describeType(schema: Schema): string {
  const { type, enum: choices, items, pattern, $ref } = schema;
  if (Array.isArray(choices)) return `one of ${choices.map((one) => `\`${String(one)}\``).join(', ')}`;
  if ($ref === 'urn:playbyplay:preprocess') return 'steps';
  const alternatives = (schema['oneOf'] ?? schema['anyOf']) as readonly Schema[] | undefined;
  if (alternatives) return alternatives.map(describeType).join(', or ');
  if (pattern === '^#[0-9a-fA-F]{6}$') return 'color `#rrggbb`';
  if (type === 'array') {
    const { minItems, maxItems } = schema;
    const count = minItems !== undefined && minItems === maxItems ? `${String(minItems)} × ` : 'list of ';
    return `${count}${items ? describeType(items as Schema) : 'anything'}`;
  }
  if (type === 'object') {
    const inner = Object.keys((schema['properties'] as Schema | undefined) ?? {});
    if (inner.length > 0) return `object with ${inner.map((name) => `\`${name}\``).join(', ')}`;
    const extra = schema['additionalProperties'];
    return typeof extra === 'object' && extra !== null ? `names, each with ${describeType(extra as Schema)}` : 'object';
  }
  return `${[type ?? 'anything'].flat().join(' or ')}${describeRange(schema)}`;
}

function describeRange({ minimum, exclusiveMinimum, maximum, exclusiveMaximum }: Schema): string {
  const low = minimum ?? exclusiveMinimum;
  const high = maximum ?? exclusiveMaximum;
  if (low === undefined && high === undefined) return '';
  if (high === undefined) return `, ${exclusiveMinimum === undefined ? 'at least' : 'above'} ${String(low)}`;
  return `, ${exclusiveMinimum === undefined ? '' : 'above '}${String(low ?? '')} to ${String(high)}`;
}
