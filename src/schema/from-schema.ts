/** A JSON Schema object (draft 2020-12). */
export type SchemaObject = Readonly<Record<string, unknown>>;

/** A JSON Schema (draft 2020-12). */
export type Schema = boolean | SchemaObject;

interface Primitives {
  readonly string: string;
  readonly number: number;
  readonly integer: number;
  readonly boolean: boolean;
  readonly null: null;
}

type Flatten<T> = { readonly [K in keyof T]: T[K] };

type RequiredKeys<S> = S extends { readonly required: readonly (infer Key extends string)[] } ? Key : never;

type FromProperties<P, Required, Root> = Flatten<
  { readonly [K in keyof P as K extends Required ? K : never]: FromSchema<P[K], Root> } & {
    readonly [K in keyof P as K extends Required ? never : K]?: FromSchema<P[K], Root>;
  }
>;

type FromObject<S, Root> = S extends { readonly properties: infer P }
  ? FromProperties<P, RequiredKeys<S>, Root>
  : S extends { readonly additionalProperties: infer Value }
    ? Readonly<Record<string, FromSchema<Value, Root>>>
    : Readonly<Record<string, unknown>>;

type FromArray<S, Root> = S extends { readonly items: infer Item }
  ? S extends { readonly minItems: 2; readonly maxItems: 2 }
    ? readonly [FromSchema<Item, Root>, FromSchema<Item, Root>]
    : S extends { readonly minItems: 3; readonly maxItems: 3 }
      ? readonly [FromSchema<Item, Root>, FromSchema<Item, Root>, FromSchema<Item, Root>]
      : readonly FromSchema<Item, Root>[]
  : readonly unknown[];

type FromType<S, Type, Root> = Type extends 'object'
  ? FromObject<S, Root>
  : Type extends 'array'
    ? FromArray<S, Root>
    : Type extends keyof Primitives
      ? Primitives[Type]
      : unknown;

type FromReference<Name, Root> = Root extends { readonly $defs: infer Definitions }
  ? Name extends keyof Definitions
    ? FromSchema<Definitions[Name], Root>
    : unknown
  : unknown;

/**
 * The (deeply read-only) TypeScript type of the values that a JSON Schema accepts.
 *
 * The schema must be declared `as const`. Understands `type`, `const`, `enum`, `properties`, `required`, `items`,
 * `additionalProperties`, `oneOf`, `anyOf`, `then`/`else` and `$ref` to `#/$defs/…` (also recursive); bounds and patterns do
 * not narrow the type, except that arrays of exactly two or three items are tuples.
 *
 * @example
 * const point = { type: 'object', required: ['x'], properties: { x: { type: 'number' }, y: { type: 'number' } } } as const;
 * const origin: FromSchema<typeof point> = { x: 0 };
 */
export type FromSchema<S, Root = S> = S extends { readonly $ref: `#/$defs/${infer Name}` }
  ? FromReference<Name, Root>
  : S extends { readonly const: infer Value }
    ? Value
    : S extends { readonly enum: readonly (infer Value)[] }
      ? Value
      : S extends { readonly oneOf: readonly (infer Branch)[] } | { readonly anyOf: readonly (infer Branch)[] }
        ? FromSchema<Branch, Root>
        : S extends { readonly type: infer Type }
          ? FromType<S, Type extends readonly (infer One)[] ? One : Type, Root>
          : S extends { readonly then: infer Then; readonly else: infer Else }
            ? FromSchema<Then, Root> | FromSchema<Else, Root>
            : unknown;
