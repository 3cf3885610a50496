import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PlaybyplayError } from '../../errors.ts';

/** How pages authenticate. */
export interface SecurityOptions {
  /** Port of the server, which is part of the cookie's name: cookies do not distinguish ports. */
  readonly port: () => number;
  /** Whether other machines can reach the server. */
  readonly isRemote: boolean;
  /** Needed where other machines can reach the server. */
  readonly password?: string | undefined;
}

/** Every script, style and picture of the pages comes from this server; nothing inline runs. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Header that pages send with every request that changes something: another site cannot, without being asked for first. */
const REQUEST_HEADER = 'x-playbyplay';
const LOCAL_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
/** Attempts at the password before each further one has to wait. */
const MAX_QUICK_ATTEMPTS = 5;
const WAIT_MS = 2000;
const MAX_SESSIONS = 100;

/** Decides who may use the server: one-time tokens become sessions, and every request is checked. */
export class Security {
  readonly #options: SecurityOptions;
  readonly #tokens = new Set<string>();
  readonly #sessions = new Set<string>();
  readonly #salt = randomBytes(16);
  readonly #passwordKey: Buffer | undefined;
  #failures = 0;
  #lastAttempt: Promise<unknown> = Promise.resolve();

  /** @throws PlaybyplayError `password-missing` where other machines can reach the server and there is no password. */
  constructor(options: SecurityOptions) {
    if (options.isRemote && (options.password === undefined || options.password.length < 8))
      throw new PlaybyplayError('password-missing', 'other machines may reach this host, but there is no password', {
        hint: 'Give --password with at least 8 characters (or PLAYBYPLAY_PASSWORD), or leave --host out.',
      });
    this.#options = options;
    if (options.password !== undefined) this.#passwordKey = this.#derive(options.password);
  }

  /** Creates a token that opens one session. */
  createToken(): string {
    const token = randomBytes(32).toString('base64url');
    this.#tokens.add(token);
    return token;
  }

  /** Adds the checks, and the routes that open a session. */
  register(app: FastifyInstance): void {
    app.addHook('onRequest', async (request, reply) => {
      reply.headers({
        'content-security-policy': CONTENT_SECURITY_POLICY,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
      });
      this.#checkHost(request);
      this.#checkOrigin(request);
      if (!this.#isPublic(request) && !this.#hasSession(request)) {
        if (request.method === 'GET' && request.headers.accept?.includes('text/html') === true)
          return reply.redirect('/locked', 303);
        throw new PlaybyplayError('not-signed-in', 'this browser is not signed in', {
          hint: 'Open the address that `playbyplay studio` printed.',
        });
      }
      return undefined;
    });
    app.get('/open', { schema: { hide: true } }, async (request, reply) => {
      const { token = '' } = request.query as { readonly token?: string };
      if (!this.#tokens.delete(String(token))) return reply.redirect('/locked', 303);
      return this.#startSession(reply).redirect('/', 303);
    });
    app.post('/sign-in', { schema: { hide: true }, bodyLimit: 4096 }, async (request, reply) => {
      const { password } = (request.body ?? {}) as { readonly password?: unknown };
      if (!(await this.#isPassword(password))) throw new PlaybyplayError('wrong-password', 'this is not the password');
      this.#startSession(reply);
      return { signedIn: true };
    });
  }

  #startSession(reply: FastifyReply): FastifyReply {
    const session = randomBytes(32).toString('base64url');
    this.#sessions.add(session);
    for (const oldest of this.#sessions) {
      if (this.#sessions.size <= MAX_SESSIONS) break;
      this.#sessions.delete(oldest);
    }
    return reply.setCookie(this.#cookieName(), session, { path: '/', httpOnly: true, sameSite: 'strict' });
  }

  #cookieName(): string {
    return `playbyplay-${this.#options.port()}`;
  }

  #hasSession(request: FastifyRequest): boolean {
    const session = request.cookies[this.#cookieName()];
    return session !== undefined && this.#sessions.has(session);
  }

  #isPublic({ url, method }: FastifyRequest): boolean {
    const [path = ''] = url.split('?');
    if (method === 'POST') return path === '/sign-in' && this.#passwordKey !== undefined;
    return path === '/open' || path === '/locked' || path.startsWith('/assets/');
  }

  /**
   * Refuses names that a page of another site could have made lead here (DNS rebinding): only addresses and names of this machine.
   */
  #checkHost(request: FastifyRequest): void {
    const host = request.headers.host ?? '';
    const [, name = '', port] = /^(\[[\da-f:.]+\]|[^:[\]]+)(?::(\d+))?$/i.exec(host) ?? [];
    const own = hostname().toLowerCase();
    const plain = name.toLowerCase();
    const isKnown =
      LOCAL_NAMES.includes(plain) ||
      (this.#options.isRemote &&
        (isIP(plain.replaceAll(/[[\]]/g, '')) > 0 || plain === own || plain === `${own}.local`));
    if (isKnown && Number(port ?? 80) === this.#options.port()) return;
    throw new PlaybyplayError('wrong-host', 'the server does not accept this host name', {
      hint: 'Open the address that `playbyplay studio` printed.',
    });
  }

  /** Refuses requests that pages of other sites make (CSRF). */
  #checkOrigin({ method, headers }: FastifyRequest): void {
    const { origin } = headers;
    const site = headers['sec-fetch-site'];
    const isForeign =
      (origin !== undefined && origin !== `http://${headers.host}` && origin !== `https://${headers.host}`) ||
      (site !== undefined && site !== 'same-origin' && !(site === 'none' && method === 'GET'));
    const isUnmarked = method !== 'GET' && method !== 'HEAD' && headers[REQUEST_HEADER] !== '1';
    if (isForeign || isUnmarked)
      throw new PlaybyplayError('wrong-origin', 'the request does not come from a page of the studio');
  }

  async #isPassword(password: unknown): Promise<boolean> {
    if (typeof password !== 'string' || this.#passwordKey === undefined || password.length > 1000) return false;
    // One after another: many attempts at once would share one wait.
    const attempt = this.#lastAttempt.then(() => this.#compare(password));
    this.#lastAttempt = attempt;
    return attempt;
  }

  async #compare(password: string): Promise<boolean> {
    if (this.#failures >= MAX_QUICK_ATTEMPTS) await new Promise((resolve) => void setTimeout(resolve, WAIT_MS));
    const isRight = timingSafeEqual(this.#derive(password), this.#passwordKey!);
    this.#failures = isRight ? 0 : this.#failures + 1;
    return isRight;
  }

  #derive(password: string): Buffer {
    return scryptSync(password, this.#salt, 32);
  }
}
