import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, it } from 'vitest';
import { root } from './paths.ts';

/** Names, which may begin a message although they are capitalized. */
const NAMES = /^(?:Tesseract|BigInt|VP9|FFmpeg|PostgreSQL|JSON|CSV|HUD|ONNX|NaN|YouTube)\b/;

type Node = Readonly<Record<string, unknown>>;

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

function* walk(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const item of value) yield* walk(item);
  else if (isNode(value)) {
    yield value;
    for (const child of Object.values(value)) yield* walk(child);
  }
}

function isNamed(value: unknown, name: string): boolean {
  return isNode(value) && (value['name'] === name || value['value'] === name);
}

/** The expression of the message that a node makes: an error's, an issue's, or a variable's of that name. */
function messageExpression(node: Node): unknown {
  const [first, second] = (node['arguments'] ?? []) as readonly unknown[];
  switch (node['type']) {
    case 'NewExpression':
      return isNamed(node['callee'], 'PlaybyplayError') ? second : undefined;
    case 'CallExpression':
      return isNamed(node['callee'], 'usageError') ? first : undefined;
    case 'Property':
      return isNamed(node['key'], 'message') ? node['value'] : undefined;
    case 'VariableDeclarator':
      return isNamed(node['id'], 'message') ? node['init'] : undefined;
    default:
      return undefined;
  }
}

/** The texts that an expression can have, with `…` for what is computed; none for an expression that only passes a message on. */
function textsOf(expression: unknown): readonly string[] {
  if (!isNode(expression)) return [];
  switch (expression['type']) {
    case 'Literal':
      return typeof expression['value'] === 'string' ? [expression['value']] : [];
    case 'TemplateLiteral': {
      const parts = expression['quasis'] as readonly { readonly value: { readonly cooked: string } }[];
      return [parts.map(({ value }) => value.cooked).join('…')];
    }
    case 'ConditionalExpression':
      return [...textsOf(expression['consequent']), ...textsOf(expression['alternate'])];
    case 'LogicalExpression':
      return [...textsOf(expression['left']), ...textsOf(expression['right'])];
    default:
      return [];
  }
}

function messagesIn(source: string): readonly string[] {
  return [...walk(parseAst(source, { lang: 'ts' }))].flatMap((node) => textsOf(messageExpression(node)));
}

/** Whether a message is a clause: it begins in lower case, unless with a name, and ends without a full stop. */
function isClause(text: string): boolean {
  const isCapitalized = /^[A-Z][a-z ]/.test(text) && !NAMES.test(text);
  return !isCapitalized && !/[^.…]\.$/.test(text);
}

describe('messages of errors and issues', () => {
  it('are found in constructors, properties, variables and conditional expressions', () => {
    const source = `
      throw new PlaybyplayError(code, isGone ? 'a' : \`b \${x} c\`, { hint: 'Not this.' });
      issues.push({ code: 'not-this', message: problem ?? 'd' });
      const message = \`e (\${f('not this')})\`;
      throw usageError('f');`;
    expect(messagesIn(source)).toEqual(['a', 'b … c', 'd', 'e (…)', 'f']);
  });

  it('are clauses; what to do about them is the hint', () => {
    const wrong = globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] }).flatMap((file) =>
      messagesIn(readFileSync(join(root, file), 'utf8'))
        .filter((text) => !isClause(text))
        .map((text) => `${file}: ${text}`),
    );
    expect(wrong).toEqual([]);
  });
});
