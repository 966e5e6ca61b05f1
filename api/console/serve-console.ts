import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Express, Request, Response } from 'express';
import type { ApiContext } from '../context/api-context.ts';
import { clientAddressOf } from '../limits/client-address.ts';
import { missingConsolePage } from '../pages.ts';

/** Paths that are pages of the console. All others are the api's, so that a mistyped one of those stays a JSON 404. */
const PAGES = ['/', '/sign-in', '/register', '/join', '/set-password', '/welcome', '/o/*page'];
/** Files whose names change with their content. */
const ASSETS = '/assets/';
/** The service worker that shows notifications: it loads nothing and handles no requests. */
const PUSH_WORKER = '/push-worker.js';
const YEAR_SECONDS = 365 * 24 * 60 * 60;
const CODINGS: readonly Coding[] = ['br', 'gzip', 'identity'];

/** Serves the console from memory, or says at `/` that it was not built. */
export function serveConsole(app: Express, built: Console | undefined, context: ApiContext): void {
  const get = (path: string | string[], send: (request: Request, response: Response) => void) => {
    app.get(path, (request, response, next) => {
      const answer = async () => {
        await context.requestLimits.countStranger(clientAddressOf(request, context));
        send(request, response);
        context.unsentAnswers.track(response);
      };
      answer().catch(next);
    });
  };
  if (built === undefined)
    return get('/', (_request, response) => void response.type('html').send(missingConsolePage()));
  const policy = contentSecurityPolicy(context.publicUrl);
  get(PAGES, (request, response) => {
    response.setHeader('Content-Security-Policy', policy);
    sendFile(request, response, built.page);
  });
  for (const [path, file] of built.files) {
    get(path, (request, response) => {
      const isLasting = path.startsWith(ASSETS);
      if (path === PUSH_WORKER) response.setHeader('Content-Security-Policy', "default-src 'none'");
      if (isLasting) response.setHeader('Cache-Control', `public, max-age=${YEAR_SECONDS}, immutable`);
      sendFile(request, response, file);
    });
  }
}

function sendFile(request: Request, response: Response, { type, codings, etag }: ConsoleFile): void {
  if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'no-cache');
  response.setHeader('ETag', etag).vary('Accept-Encoding');
  if (request.headers['if-none-match']?.split(/, */).includes(etag) === true) return void response.status(304).end();
  const accepted = CODINGS.find((coding) => codings.has(coding) && request.acceptsEncodings(coding) === coding);
  const coding = accepted ?? 'identity';
  if (coding !== 'identity') response.setHeader('Content-Encoding', coding);
  response.setHeader('Content-Type', type).send(codings.get(coding));
}

/**
 * Returns the policy of the console's page. Nothing is loaded from elsewhere, no text becomes a script or a style, and
 * no other page shows this one. Some browsers do not count WebSockets to `'self'`, so their address is named.
 */
function contentSecurityPolicy(publicUrl: string): string {
  const { host, protocol } = new URL(publicUrl);
  const directives = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self' blob: data:",
    'font-src': "'self'",
    'connect-src': `'self' ${protocol === 'https:' ? 'wss' : 'ws'}://${host}`,
    'manifest-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'self'",
    'frame-ancestors': "'none'",
    'require-trusted-types-for': "'script'",
    // The policy by which the service worker is registered.
    'trusted-types': 'push-worker',
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ');
}

/** A file of the console, as it was built. */
interface ConsoleFile {
  /** The media type. */
  readonly type: string;
  /** The content in each coding that it was built in; `identity` is always there. */
  readonly codings: ReadonlyMap<Coding, Buffer>;
  /** A weak validator, the same in all codings. */
  readonly etag: string;
}

type Coding = 'br' | 'gzip' | 'identity';

/** The built console: its one page, and all files by the path that they are served at. */
export interface Console {
  readonly page: ConsoleFile;
  readonly files: ReadonlyMap<string, ConsoleFile>;
}

/** Where a build of the console lies that came with the code. */
export const CONSOLE_OF_CODE = fileURLToPath(new URL('../../console/dist', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
};
const SUFFIXES = { br: '.br', gzip: '.gz', identity: '' } as const;
const PAGE = '/index.html';
/** The folder of the previous build's assets, which open pages still load. */
const BEFORE = 'before';

/**
 * Reads a built console into memory; undefined when there is none. No request reaches the disk afterwards, whatever its
 * path says, and a later build changes nothing of what this process serves.
 */
export function readConsole(folder: string | undefined): Console | undefined {
  if (folder === undefined || !existsSync(join(folder, PAGE))) return undefined;
  const files = new Map([...readFiles(join(folder, BEFORE)), ...readFiles(folder)]);
  const page = files.get(PAGE);
  files.delete(PAGE);
  return page && { page, files };
}

function readFiles(folder: string): [string, ConsoleFile][] {
  return pathsIn(folder).flatMap((path) => {
    const type = TYPES[extname(path)];
    if (type === undefined || path.startsWith(`/${BEFORE}/`)) return [];
    const identity = readFileSync(join(folder, path));
    const codings = (['br', 'gzip'] as const).flatMap((coding) => {
      const packed = join(folder, path + SUFFIXES[coding]);
      return existsSync(packed) ? [[coding, readFileSync(packed)] as const] : [];
    });
    const digest = createHash('sha256').update(identity).digest('base64url').slice(0, 22);
    return [[path, { type, codings: new Map([...codings, ['identity', identity]]), etag: `W/"${digest}"` }]];
  });
}

function pathsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => `/${path.replaceAll('\\', '/')}`);
}
