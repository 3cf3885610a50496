import type { RouteBody, RouteDeclaration, RouteError, RouteQuery, RouteResponse } from '../api/route.ts';

/** A request that the server refused, with its explanation. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly status: number;
  readonly failure: RouteError;

  constructor(status: number, failure: RouteError) {
    super(failure.message);
    this.status = status;
    this.failure = failure;
  }
}

/** What a route takes: its query and its body, if it has them. */
export type RouteInput<R extends RouteDeclaration> = (RouteQuery<R> extends undefined
  ? { readonly query?: undefined }
  : { readonly query: RouteQuery<R> }) &
  (RouteBody<R> extends undefined ? { readonly body?: undefined } : { readonly body: RouteBody<R> }) & {
    readonly signal?: AbortSignal | undefined;
  };

/** The address of a route with its query, for pictures and sounds. */
export function addressOf<R extends RouteDeclaration>(route: R, query: RouteQuery<R>): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query ?? {})) if (value !== undefined) search.set(key, String(value));
  const text = search.toString();
  return text === '' ? route.url : `${route.url}?${text}`;
}

/**
 * Sends a request and returns the response itself, whatever its type.
 *
 * @throws RequestError With the server's explanation.
 */
export async function send<R extends RouteDeclaration>(route: R, input: RouteInput<R>): Promise<Response> {
  const { query, body, signal } = input as {
    readonly query?: RouteQuery<R>;
    readonly body?: unknown;
    readonly signal?: AbortSignal;
  };
  const response = await fetch(addressOf(route, query as RouteQuery<R>), {
    method: route.method,
    credentials: 'same-origin',
    headers: { 'x-playbyplay': '1', ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  if (response.ok) return response;
  const failure = await response.json().catch(() => undefined);
  if (response.status === 401) location.assign('/locked');
  throw new RequestError(response.status, failure ?? { code: 'internal', message: response.statusText });
}

/**
 * Sends a request to a route that answers with JSON.
 *
 * @throws RequestError With the server's explanation.
 *
 * @example
 * ```ts
 * const { recordings } = await call(listWorkspace, {});
 * ```
 */
export async function call<R extends RouteDeclaration>(route: R, input: RouteInput<R>): Promise<RouteResponse<R>> {
  return (await (await send(route, input)).json()) as RouteResponse<R>;
}
