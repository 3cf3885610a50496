import type { FromSchema, SchemaObject } from '../../schema/from-schema.ts';

/**
 * A route of the studio's server: the one source of its validation, its OpenAPI entry and the types of server and pages. It is plain
 * data, so that pages import it, too.
 */
export interface RouteDeclaration {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path under the server's root, such as `/api/frame`. */
  readonly url: string;
  /** What it does, in one line. */
  readonly summary: string;
  /** The resource that it belongs to. */
  readonly tag: string;
  /** Schema of the query string; numbers and booleans are converted from text. */
  readonly query?: SchemaObject;
  /** Schema of the JSON body. */
  readonly body?: SchemaObject;
  /** Schema of the JSON response. */
  readonly response?: SchemaObject;
  /** Content type of a response that is not JSON. */
  readonly produces?: string;
  /** Bytes that the body may have. Default: 1 MiB. */
  readonly bodyLimit?: number;
}

type Part<R, Key extends string> =
  R extends Readonly<Record<Key, infer S>> ? (S extends SchemaObject ? FromSchema<S> : undefined) : undefined;

/** The query of a route. */
export type RouteQuery<R extends RouteDeclaration> = Part<R, 'query'>;
/** The JSON body of a route. */
export type RouteBody<R extends RouteDeclaration> = Part<R, 'body'>;
/** The JSON response of a route. */
export type RouteResponse<R extends RouteDeclaration> = Part<R, 'response'>;

/** Declares a route. At run time it only returns its argument; it keeps the literal types of the schemas. */
export function declareRoute<const R extends RouteDeclaration>(route: R): R {
  return route;
}

/** What the server answers when a request fails. */
export interface RouteError {
  /** Permanent identifier in kebab case. */
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly issues?: readonly {
    readonly code: string;
    readonly path?: string;
    readonly message: string;
    readonly hint?: string;
  }[];
}
