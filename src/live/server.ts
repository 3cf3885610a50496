import type { IncomingMessage } from 'node:http';
import { type AddressInfo, isIP, type Socket } from 'node:net';
import { hostname } from 'node:os';
import websocket from '@fastify/websocket';
import { fastify, type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import type { Dictionary } from '../dictionary/dictionary.ts';
import { messageOf, PlaybyplayError } from '../errors.ts';
import type { EventLine } from '../events/log.ts';
import { OVERLAY_PAGE, OVERLAY_SCRIPT, OVERLAY_STYLE } from './overlay/page.ts';
import { asEvent, compileEventTest, type LiveSession, type SessionMessage } from './session.ts';

/** Options of `startLiveServer`. */
export interface LiveServerOptions {
  readonly session: LiveSession;
  /** The dictionary of the game, for queries of listeners. */
  readonly dictionary: Dictionary;
  /** 0: a free port. */
  readonly port: number;
  /** Address to listen on; default 127.0.0.1. Any other lets other machines read the events. */
  readonly host?: string | undefined;
}

/** Answers with a fixed text. */
function page(type: string, text: string) {
  return (_request: FastifyRequest, reply: FastifyReply) => reply.type(type).send(text);
}

/** A running server of a live session. */
export interface LiveServer extends AsyncDisposable {
  /** `http://127.0.0.1:8420`. */
  readonly address: string;
}

/** Listeners at a time. */
const MAX_LISTENERS = 50;
/** Bytes that a listener may leave unread before it is disconnected: it must not make the session wait or grow. */
const MAX_UNREAD_BYTES = 1 << 20;
/** Seconds between two signs of life on a silent connection. */
const HEARTBEAT_SECONDS = 15;
/** Milliseconds for listeners to read the last messages. */
const CLOSE_MS = 200;
/** What a listener says to a WebSocket is not read. */
const MAX_INCOMING_BYTES = 1024;
const MAX_QUERY_CHARACTERS = 500;

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

/**
 * Serves a live session: `/events` (Server-Sent Events), `/ws` (WebSocket), `/state` (JSON) and `/overlay`, a page for the
 * browser source of OBS. Nothing can be changed through it.
 *
 * @throws PlaybyplayError `port-in-use`, `port-forbidden`, `no-such-host`.
 */
export async function startLiveServer(options: LiveServerOptions): Promise<LiveServer> {
  const { session, dictionary, port, host = '127.0.0.1' } = options;
  const app = fastify({ forceCloseConnections: true, routerOptions: { maxParamLength: MAX_QUERY_CHARACTERS } });
  const listeners = new Listeners();
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  app.setErrorHandler<FastifyError>((error, _request, reply) => {
    const known = error instanceof PlaybyplayError;
    const body = {
      code: known ? error.code : 'internal',
      message: messageOf(error),
      ...(known && { hint: error.hint }),
    };
    return reply.status(known ? (STATUS[error.code] ?? 400) : (error.statusCode ?? 500)).send(body);
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(HEADERS);
    checkRequest(request, host, (app.server.address() as AddressInfo).port);
  });
  await app.register(websocket, { options: { maxPayload: MAX_INCOMING_BYTES } });
  app.get('/', (_request, reply) => reply.redirect('/overlay?captions=center&background=dark', 302));
  app.get('/overlay', page('text/html; charset=utf-8', OVERLAY_PAGE));
  app.get('/overlay.js', page('text/javascript; charset=utf-8', OVERLAY_SCRIPT));
  app.get('/overlay.css', page('text/css; charset=utf-8', OVERLAY_STYLE));
  app.get('/state', () => session.state);
  app.get('/recent', (request) => session.recent.filter(filterOf(request, dictionary)));
  app.get('/events', (request, reply) => {
    const filter = filterOf(request, dictionary);
    const after = request.headers['last-event-id'];
    reply.hijack();
    sendServerEvents(request.raw, reply, session, listeners, filter, typeof after === 'string' ? after : undefined);
  });
  app.get('/ws', { websocket: true }, (socket, request) => {
    sendMessages(socket, session, listeners, filterOf(request, dictionary));
  });
  try {
    await app.listen({ port, host });
  } catch (error) {
    await app.close();
    throw refusal(error, host, port);
  }
  return {
    address: addressOf(app, host),
    async [Symbol.asyncDispose]() {
      listeners.close();
      const closed = app.close();
      // Connections that became WebSockets, or were refused to, are not closed with the server.
      const timer = setTimeout(() => sockets.forEach((socket) => socket.destroy()), CLOSE_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}

/** Why an address cannot be listened on. */
function refusal(error: unknown, host: string, port: number): unknown {
  switch ((error as { readonly code?: string }).code) {
    case 'EADDRINUSE':
      return new PlaybyplayError('port-in-use', `port ${port} is in use`, {
        hint: `Name another one: --http ${port === 8420 ? 8421 : 8420}`,
      });
    case 'EACCES':
      return new PlaybyplayError('port-forbidden', `port ${port} is not open to ordinary programs`, {
        hint: 'Name one from 1024 on: --http 8420',
      });
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EADDRNOTAVAIL':
      return new PlaybyplayError('no-such-host', `${host} is no address of this machine`, {
        hint: 'Name one of its addresses, or --host 0.0.0.0 for all of them.',
      });
    default:
      return error;
  }
}

const STATUS: Readonly<Record<string, number>> = { 'wrong-host': 403, 'wrong-origin': 403, 'too-many-listeners': 503 };

function addressOf(app: FastifyInstance, host: string): string {
  const { port } = app.server.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

const LOCAL_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Refuses pages of other sites: by the name under which they reach this server (DNS rebinding), and by their origin. */
function checkRequest({ headers }: FastifyRequest, listensOn: string, port: number): void {
  const [, name = '', given] = /^(\[[\da-f:.]+\]|[^:[\]]+)(?::(\d+))?$/i.exec(headers.host ?? '') ?? [];
  const plain = name.toLowerCase();
  const isLocal = LOCAL_NAMES.includes(listensOn) || listensOn === '::1';
  const isKnown =
    LOCAL_NAMES.includes(plain) ||
    (!isLocal && (isIP(plain.replaceAll(/[[\]]/g, '')) > 0 || plain === hostname().toLowerCase()));
  if (!isKnown || Number(given ?? 80) !== port)
    throw new PlaybyplayError('wrong-host', 'the server does not accept this host name');
  const { origin } = headers;
  if (origin !== undefined && origin !== `http://${headers.host}`)
    throw new PlaybyplayError('wrong-origin', 'the request comes from a page of another site');
}

type EventFilter = (event: EventLine) => boolean;

/** What the query of a request selects: `?query=kills by player`. @throws PlaybyplayError `bad-query`. */
function filterOf(request: FastifyRequest, dictionary: Dictionary): EventFilter {
  const { query } = request.query as { readonly query?: unknown };
  if (typeof query !== 'string' || query.trim() === '') return ({ tentative }) => !tentative;
  const test = compileEventTest(query.slice(0, MAX_QUERY_CHARACTERS), dictionary);
  return (event) => !event.tentative && test(event);
}

function selects(filter: EventFilter, message: SessionMessage): boolean {
  if (message.type === 'event') return filter(message);
  if (message.type !== 'early') return true;
  return filter(asEvent(message));
}

/** The connections of listeners. */
class Listeners {
  readonly #closers = new Set<() => void>();

  /** Adds a connection. @throws PlaybyplayError `too-many-listeners`. */
  add(close: () => void): () => void {
    if (this.#closers.size >= MAX_LISTENERS)
      throw new PlaybyplayError('too-many-listeners', `${MAX_LISTENERS} listeners are connected already`);
    this.#closers.add(close);
    return () => this.#closers.delete(close);
  }

  close(): void {
    for (const close of this.#closers) close();
  }
}

/** Sends a session as Server-Sent Events; the id of an event is that of the log, from which a listener goes on. */
function sendServerEvents(
  request: IncomingMessage,
  { raw }: FastifyReply,
  session: LiveSession,
  listeners: Listeners,
  filter: EventFilter,
  after: string | undefined,
): void {
  let remove: () => void;
  try {
    remove = listeners.add(() => raw.end());
  } catch {
    raw.writeHead(503).end();
    return;
  }
  raw.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
  const write = (text: string): void => {
    if (raw.writableLength > MAX_UNREAD_BYTES) raw.destroy();
    else raw.write(text);
  };
  const send = (message: SessionMessage): void => {
    if (!selects(filter, message)) return;
    const id = message.type === 'event' ? `id: ${message.id}\n` : '';
    write(`event: ${message.type}\n${id}data: ${JSON.stringify(message)}\n\n`);
  };
  write('retry: 1000\n\n');
  send({ type: 'state', state: session.state });
  const known = session.recent.findIndex(({ id }) => id === after);
  if (known >= 0) for (const event of session.recent.slice(known + 1)) send(event);
  const stop = session.listen(send);
  const heartbeat = setInterval(() => write(': alive\n\n'), 1000 * HEARTBEAT_SECONDS);
  request.once('close', () => {
    clearInterval(heartbeat);
    stop();
    remove();
  });
}

/** Sends a session over a WebSocket, a JSON message each. */
function sendMessages(socket: WebSocket, session: LiveSession, listeners: Listeners, filter: EventFilter): void {
  let remove: () => void;
  try {
    remove = listeners.add(() => socket.close(1001));
  } catch {
    socket.close(1013);
    return;
  }
  const send = (message: SessionMessage): void => {
    if (!selects(filter, message) || socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > MAX_UNREAD_BYTES) socket.terminate();
    else socket.send(JSON.stringify(message));
  };
  send({ type: 'state', state: session.state });
  const stop = session.listen(send);
  const heartbeat = setInterval(() => socket.ping(), 1000 * HEARTBEAT_SECONDS);
  socket.once('close', () => {
    clearInterval(heartbeat);
    stop();
    remove();
  });
  socket.on('error', () => socket.terminate());
}
