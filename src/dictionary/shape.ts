import { isObject, type JsonObject } from '../json.ts';
import { findProblems, type SchemaProblem } from '../schema/check.ts';
import { dictionarySchema, limits, listOf, namePattern, wordKinds } from './format.ts';
import type { DictionaryIssue, IssueCode } from './issues.ts';

/** Issues of a file that suggest a spelling; a person corrects the first ones first. */
const MAX_ISSUES_WITH_SPELLING = 50;

/** Collects the issues of one file. */
export class Report {
  readonly issues: DictionaryIssue[] = [];
  readonly file: string;

  constructor(file: string) {
    this.file = file;
  }

  /** Whether another issue should suggest a spelling: a search among all words, too slow for thousands of issues. */
  get suggestsSpelling(): boolean {
    return this.issues.length < MAX_ISSUES_WITH_SPELLING;
  }

  add(code: IssueCode, pointer: string, message: string, hint?: string): void {
    this.issues.push({ code, path: `${this.file}#${pointer}`, message, ...(hint === undefined ? {} : { hint }) });
  }
}

/** Checks the shape of a parsed file. Returns it if it is an object at all. */
export function checkShape(data: unknown, report: Report): JsonObject | undefined {
  if (!isObject(data)) {
    report.add(
      'not-a-dictionary',
      '',
      'a dictionary must be a JSON object',
      'See docs/reference/dictionary.md for the format.',
    );
    return undefined;
  }
  const counts = wordKinds.map((kind) =>
    Array.isArray(data[listOf[kind]]) ? (data[listOf[kind]] as unknown[]).length : 0,
  );
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total > limits.words) {
    // Checking so many words, and their relations, would take minutes.
    report.add(
      'too-large',
      '',
      `${total} words are more than the limit of ${limits.words}; the file was left out`,
      'Split the dictionary into several files.',
    );
    return undefined;
  }
  for (const problem of findProblems(dictionarySchema, data)) {
    const { code, pointer } = classify(problem);
    report.add(code, pointer, problem.message, problem.hint);
  }
  return data;
}

/** The issue code of a problem, and the pointer at which it is reported. */
function classify({ pointer, error }: SchemaProblem): { readonly code: IssueCode; readonly pointer: string } {
  const missing = error?.keyword === 'required' ? String(error.params['missingProperty']) : undefined;
  const place = missing === undefined || missing === 'definition' ? pointer : `${pointer}/${missing}`;
  const at = (code: IssueCode): { code: IssueCode; pointer: string } => ({ code, pointer: place });
  if (place === '/format') return at('unknown-format');
  if (missing === 'definition') return at('empty-definition');
  switch (error?.keyword) {
    case 'additionalProperties':
      return at('unknown-key');
    case 'type':
    case 'required':
      return at('wrong-type');
    case 'maxLength':
    case 'maxItems':
      return at('too-large');
    case 'minItems':
      return at('no-steps');
    case 'pattern':
      if (pointer.endsWith('/definition')) return at('empty-definition');
      return at(error.schema === namePattern.source ? 'bad-name' : 'bad-value');
    case undefined:
      return at('too-deep');
    default:
      return at('bad-value');
  }
}
