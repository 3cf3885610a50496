import { basename } from 'node:path';
import { PlaybyplayError } from '../../errors.ts';

/** Where a live stream comes from. Nothing else is opened than what the user named. */
export type LiveSource =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'stdin' }
  | {
      readonly kind: 'network';
      /** FFmpeg's name of the protocol. */
      readonly protocol: NetworkProtocol;
      readonly url: string;
      /** Waits for a sender to connect instead of connecting to one. */
      readonly listens: boolean;
    }
  | { readonly kind: 'hls'; readonly url: string }
  | {
      readonly kind: 'device';
      /** FFmpeg's name of the input device. */
      readonly format: 'x11grab' | 'v4l2';
      /** What the device calls its input: a display, a device file. */
      readonly device: string;
      readonly options: Readonly<Record<string, string>>;
    };

/** The network protocols that a live stream may come by. */
export type NetworkProtocol = 'srt' | 'rtmp' | 'rtmps' | 'rtsp' | 'rtsps' | 'rtp' | 'udp' | 'tcp' | 'http' | 'https';

const PROTOCOLS: readonly NetworkProtocol[] = [
  'srt',
  'rtmp',
  'rtmps',
  'rtsp',
  'rtsps',
  'rtp',
  'udp',
  'tcp',
  'http',
  'https',
];
/** Protocols by which senders may connect to this program. */
const LISTENING: ReadonlySet<NetworkProtocol> = new Set(['srt', 'rtmp', 'tcp']);

/** Protocols without a usual port. */
const NAMES_ITS_PORT: ReadonlySet<NetworkProtocol> = new Set(['srt', 'rtp', 'udp', 'tcp']);

/** Whether senders of the protocol may connect to this program. */
export function canListen(protocol: NetworkProtocol): boolean {
  return LISTENING.has(protocol);
}

/** Whether the source waits for a sender to connect. */
export function listens(source: LiveSource): boolean {
  return source.kind === 'network' && source.listens;
}

/** Whether the source receives what is sent to a port, without a connection. */
export function receivesDatagrams(source: LiveSource): boolean {
  return source.kind === 'network' && (source.protocol === 'udp' || source.protocol === 'rtp');
}

/** Options of `parseLiveSource`. */
export interface LiveSourceOptions {
  /** Waits for a sender to connect (SRT, RTMP, TCP). */
  readonly listen?: boolean | undefined;
  /** Pictures a second of a screen or camera. */
  readonly frameRate?: number | undefined;
  /** Size of the pictures of a screen or camera, such as `1280x720`. */
  readonly size?: string | undefined;
}

/**
 * Reads the name of a live source: a path, `-` for standard input, a URL, `screen[:display]`, `window:id` or `camera[:device]`.
 *
 * @throws PlaybyplayError `unknown-source`.
 *
 * @example
 * parseLiveSource('srt://0.0.0.0:9000', { listen: true });
 * parseLiveSource('screen::0.0+100,200', { size: '1280x720' });
 */
export function parseLiveSource(text: string, options: LiveSourceOptions = {}): LiveSource {
  const scheme = /^([a-z][a-z\d+.-]+):\/\//i.exec(text)?.[1]?.toLowerCase();
  const isDevice = /^(screen|window|camera)(:|$)/.test(text);
  if (options.listen && !(scheme && LISTENING.has(scheme as NetworkProtocol)))
    throw new PlaybyplayError('unknown-source', `${text} cannot wait for a sender`, {
      hint: 'Senders connect by SRT, RTMP or TCP: playbyplay live srt://0.0.0.0:9000 --listen',
    });
  if (!isDevice && (options.size !== undefined || options.frameRate !== undefined))
    throw new PlaybyplayError('unknown-source', `${text} has its own picture size and rate`, {
      hint: 'Leave out --size and --fps: they apply to screens and cameras only.',
    });
  if (text === '-') return { kind: 'stdin' };
  if (scheme !== undefined) return parseUrl(text, scheme, options);
  if (!isDevice) return { kind: 'file', path: text };
  const { size, frameRate } = options;
  const rate = { framerate: String(frameRate ?? 60), ...(size === undefined ? {} : { video_size: size }) };
  const [, kind, name = ''] = /^(screen|window|camera):?(.*)$/s.exec(text)!;
  if (kind === 'camera') {
    const { framerate, ...own } = rate;
    const asked = frameRate === undefined ? own : { ...own, framerate };
    return { kind: 'device', format: 'v4l2', device: name === '' ? '/dev/video0' : name, options: asked };
  }
  const display = process.env['DISPLAY'] ?? ':0.0';
  if (kind === 'screen') {
    const device = name === '' ? display : name;
    return { kind: 'device', format: 'x11grab', device, options: { ...rate, draw_mouse: '0' } };
  }
  if (!/^(0x[\da-f]+|\d+)$/i.test(name))
    throw new PlaybyplayError('unknown-source', `“${name}” is not the number of a window`, {
      hint: 'xwininfo shows the number of a window (0x1c00007): playbyplay live window:0x1c00007',
    });
  return { kind: 'device', format: 'x11grab', device: display, options: { ...rate, window_id: name, draw_mouse: '0' } };
}

function parseUrl(text: string, scheme: string, { listen = false }: LiveSourceOptions): LiveSource {
  const protocol = PROTOCOLS.find((one) => one === scheme);
  if (!protocol || !URL.canParse(text))
    throw new PlaybyplayError('unknown-source', `${redactUrl(text)} is not the address of a live stream`, {
      hint: `Addresses begin with ${PROTOCOLS.map((one) => `${one}://`).join(', ')}.`,
    });
  if (NAMES_ITS_PORT.has(protocol) && new URL(text).port === '')
    throw new PlaybyplayError('unknown-source', `${redactUrl(text)} has no port`, {
      hint: `Name the port that is sent to: ${protocol}://127.0.0.1:9000`,
    });
  const isPlaylist = /^https?$/.test(protocol) && /\.m3u8$/i.test(new URL(text).pathname);
  if (isPlaylist) return { kind: 'hls', url: text };
  return { kind: 'network', protocol, url: text, listens: listen };
}

/** How a source is called in messages and logs: without passwords, stream keys and paths. */
export function nameOfSource(source: LiveSource): string {
  if (source.kind === 'file') return basename(source.path);
  if (source.kind === 'stdin') return 'standard input';
  if (source.kind === 'device') return source.format === 'v4l2' ? 'camera' : 'screen';
  return redactUrl(source.url);
}

/** Leaves of a URL what is no secret: scheme and host. Keys of streams are part of the path or the query. */
export function redactUrl(url: string): string {
  const parts = /^([a-z][a-z\d+.-]*:\/\/)(?:[^/?#]*@)?([^/?#]*)(.*)$/is.exec(url);
  if (!parts) return 'the address';
  const [, scheme, host, rest] = parts;
  return `${scheme}${host}${rest === '' || rest === '/' ? '' : '/…'}`;
}
