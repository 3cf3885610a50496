type Schema = Readonly<Record<string, unknown>>;

/** One option of a detector kind or of a preprocessing step, for people. */
export interface OptionRow {
  readonly name: string;
  /** What it takes, in words: `number, 0 to 255`; `one of fixed, otsu, adaptive`. */
  readonly takes: string;
  readonly required: boolean;
  readonly default?: unknown;
  readonly description?: string;
}

/** The options that a schema's properties describe. */
export function optionRows(properties: Readonly<Record<string, Schema>>, required: readonly string[]): OptionRow[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    takes: wording(schema),
    required: required.includes(name),
    ...(schema['default'] === undefined ? {} : { default: schema['default'] }),
    ...(typeof schema['description'] === 'string' ? { description: schema['description'] } : {}),
  }));
}

function wording(schema: Schema): string {
  const { type, enum: choices, minimum, exclusiveMinimum, maximum, exclusiveMaximum, items, pattern, $ref } = schema;
  if (Array.isArray(choices)) return `one of ${choices.map((one) => `\`${String(one)}\``).join(', ')}`;
  if ($ref === 'urn:playbyplay:preprocess') return 'steps';
  const alternatives = (schema['oneOf'] ?? schema['anyOf']) as readonly Schema[] | undefined;
  if (alternatives) return alternatives.map(wording).join(', or ');
  if (pattern === '^#[0-9a-fA-F]{6}$') return 'colour `#rrggbb`';
  if (type === 'array') {
    const { minItems, maxItems } = schema;
    const count = minItems !== undefined && minItems === maxItems ? `${String(minItems)} × ` : 'list of ';
    return `${count}${items ? wording(items as Schema) : 'anything'}`;
  }
  if (type === 'object') {
    const inner = Object.keys((schema['properties'] as Schema | undefined) ?? {});
    const extra = schema['additionalProperties'];
    if (inner.length > 0) return `object with ${inner.map((name) => `\`${name}\``).join(', ')}`;
    return typeof extra === 'object' && extra !== null ? `names, each with ${wording(extra as Schema)}` : 'object';
  }
  const low = minimum ?? exclusiveMinimum;
  const high = maximum ?? exclusiveMaximum;
  const range =
    low === undefined && high === undefined
      ? ''
      : `, ${exclusiveMinimum === undefined ? '' : 'above '}${String(low ?? '')} to ${String(high ?? '')}`;
  return `${String(type ?? 'anything')}${high === undefined && low !== undefined ? `, ${exclusiveMinimum === undefined ? 'at least' : 'above'} ${String(low)}` : range}`;
}
