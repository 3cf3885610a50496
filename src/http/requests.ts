/** What HTTP servers of this program have in common: requests are checked by the project's own schemas, and errors look the same. */
import type { FastifyError, FastifyInstance } from 'fastify';
import { type Issue, messageOf, PlaybyplayError } from '../errors.ts';
import { findProblems } from '../schema/check.ts';
import type { Schema, SchemaObject } from '../schema/from-schema.ts';

/** The body of an error reply. */
export interface ErrorReply {
  /** Permanent, in kebab case. */
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly issues?: readonly Issue[];
}

/** Validates requests by the project's own checker, whose messages say what to write instead. */
export function useProjectSchemas(app: FastifyInstance): void {
  app.setValidatorCompiler<SchemaObject>(({ schema, httpPart }) => (data: unknown) => {
    const value = httpPart === 'querystring' ? convertQuery(schema, data as Record<string, unknown>) : data;
    const problems = findProblems(schema as Schema, value);
    if (problems.length === 0) return { value };
    const issues = problems.map(({ code, pointer, message, hint }) => ({
      code,
      path: `#${pointer}`,
      message,
      ...(hint !== undefined && { hint }),
    }));
    return { error: new PlaybyplayError('bad-request', issues[0]!.message, { hint: issues[0]!.hint, issues }) };
  });
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
}

/** Converts the texts of a query string to the types of its schema. */
function convertQuery(schema: SchemaObject, query: Readonly<Record<string, unknown>>): unknown {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, { readonly type?: string }>>;
  return Object.fromEntries(
    Object.entries(query).map(([key, text]) => {
      const type = properties[key]?.type;
      if (typeof text !== 'string') return [key, text];
      if ((type === 'number' || type === 'integer') && text.trim() !== '') {
        const number = Number(text);
        return [key, Number.isFinite(number) ? number : text];
      }
      if (type === 'boolean' && (text === 'true' || text === 'false')) return [key, text === 'true'];
      return [key, text];
    }),
  );
}

/**
 * Describes what a handler threw.
 *
 * @param statusOf HTTP status by the code of an error; others are mistakes in what was asked: 400.
 */
export function describeFailure(
  error: FastifyError | Error,
  statusOf: Readonly<Record<string, number>>,
): { readonly status: number; readonly body: ErrorReply } {
  if (error instanceof PlaybyplayError) {
    const { code, message, hint, issues } = error;
    const body = { code, message, ...(hint !== undefined && { hint }), ...(issues.length > 0 && { issues }) };
    return { status: statusOf[code] ?? 400, body };
  }
  const { statusCode = 500, code = 'internal' } = error as Partial<FastifyError>;
  if (error.name === 'AbortError') return { status: 499, body: { code: 'cancelled', message: 'the client left' } };
  if (statusCode >= 500)
    return { status: 500, body: { code: 'internal', message: `internal error: ${messageOf(error)}` } };
  return { status: statusCode, body: { code: code.toLowerCase().replaceAll('_', '-'), message: error.message } };
}
