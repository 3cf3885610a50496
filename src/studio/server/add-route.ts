import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RouteBody, RouteDeclaration, RouteQuery, RouteResponse } from '../api/route.ts';

/** A request whose query and body match the schemas of its route. */
export interface RouteRequest<R extends RouteDeclaration> {
  readonly query: RouteQuery<R>;
  readonly body: RouteBody<R>;
  /** Aborts when the page no longer waits for the answer. */
  readonly signal: AbortSignal;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Answers requests of a route: with its JSON, or with the reply that it has sent, where the route produces something else. */
export type RouteHandler<R extends RouteDeclaration> = (
  request: RouteRequest<R>,
) => Promise<RouteResponse<R> | FastifyReply> | RouteResponse<R> | FastifyReply;

/**
 * Registers a declared route.
 *
 * @example
 * ```ts
 * addRoute(app, showRecording, async ({ query }) => describe(await workspace.resolve(query.path)));
 * ```
 */
export function addRoute<R extends RouteDeclaration>(app: FastifyInstance, route: R, handler: RouteHandler<R>): void {
  const { method, url, summary, tag, query, body, response, produces, bodyLimit } = route;
  app.route({
    method,
    url,
    ...(bodyLimit !== undefined && { bodyLimit }),
    schema: {
      summary,
      tags: [tag],
      ...(query && { querystring: query }),
      ...(body && { body }),
      ...(response && { response: { 200: response } }),
      ...(produces !== undefined && { produces: [produces] }),
    },
    handler: async (request, reply) => {
      const controller = new AbortController();
      reply.raw.once('close', () => {
        if (!reply.raw.writableFinished) controller.abort();
      });
      const input = { query: request.query, body: request.body, signal: controller.signal, request, reply };
      return await handler(input as RouteRequest<R>);
    },
  });
}
