import type { ComponentChildren } from 'preact';
import { RequestError } from '../api-client.ts';
import { text } from '../strings.ts';

/** A notice with a title, in the place of what cannot be shown. */
export function EmptyState(props: {
  readonly title: string;
  /** Whether it is all that the page shows. */
  readonly isPage?: boolean;
  readonly children?: ComponentChildren;
}) {
  const { title, isPage = false, children } = props;
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <div class="empty-state">
      <Heading>{title}</Heading>
      {children}
    </div>
  );
}

/** What went wrong, in the server's words, and how to go on. */
export function ErrorNotice({ error, retry }: { readonly error: unknown; readonly retry?: (() => void) | undefined }) {
  const failure = error instanceof RequestError ? error.failure : undefined;
  const message = failure?.message ?? (error instanceof Error ? error.message : String(error));
  return (
    <div class="error-notice" role="alert">
      <strong>{text.failed}</strong>
      <p>{message}</p>
      {failure?.hint !== undefined && <p class="hint">{failure.hint}</p>}
      {retry && (
        <button type="button" onClick={retry}>
          {text.retry}
        </button>
      )}
    </div>
  );
}

/** What is wrong with a text, and what to write instead. */
export function IssueText({ issue }: { readonly issue: { readonly message: string; readonly hint?: string } }) {
  const { message, hint } = issue;
  return (
    <>
      {message}
      {hint !== undefined && (
        <>
          . <em>{hint}</em>
        </>
      )}
    </>
  );
}

/** Says that something is being loaded. */
export function Loading({ what = text.loading }: { readonly what?: string }) {
  return (
    <p class="loading" role="status">
      {what}
    </p>
  );
}
