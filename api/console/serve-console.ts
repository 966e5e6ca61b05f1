import type { Express, Request, Response } from 'express';
import type { ApiContext } from '../context/api-context.ts';
import { clientAddressOf } from '../limits/client-address.ts';
import { missingConsolePage } from '../pages/index.ts';
import type { Coding, Console, ConsoleFile } from './read-console.ts';

/** Paths that are pages of the console. All others are the api's, so that a mistyped one of those stays a JSON 404. */
const PAGES = ['/', '/sign-in', '/register', '/join', '/set-password', '/welcome', '/o/*page'];
/** Files whose names change with their content. */
const ASSETS = '/assets/';
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
    'trusted-types': "'none'",
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ');
}
