import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { type Credential, credentialInHandshake, credentialOf, InvalidToken } from '../access/bearer.ts';

const CHAT_PATH = /^\/ws\/chat\/(?<chatId>[^/]+)$/;
const EVENTS_PATH = '/ws/events';
const KEY = /^[+/0-9A-Za-z]{22}==$/;

/** The contents of a request for a socket. */
interface UpgradeRequest {
  /** The chat whose socket it is; `undefined` for the events of an organization. */
  readonly chatId: string | undefined;
  readonly credential: Credential;
  /** The organization that it names; that of the chat, or the active one, unless given. */
  readonly orgId: string | undefined;
}

const orgIdSchema = z.uuid().toLowerCase();

/** Reads the request for a socket. Throws for a request that is for none. */
export function readUpgrade(request: IncomingMessage): UpgradeRequest {
  const { pathname, searchParams } = readUrl(request.url ?? '');
  if (!isSocketPath(pathname)) throw notFound('Page');
  if (!isHandshake(request)) {
    throw new AppError('invalid', 'This is not a handshake of WebSocket version 13 (RFC 6455)');
  }
  const tokens = [...searchParams.getAll('token'), ...offeredTokens(offeredSubprotocols(request))];
  const [token, ...others] = tokens;
  if (others.length > 0) throw new InvalidToken({ hasExpired: false });
  // Clients that can set headers keep their token out of the logs of proxies.
  const credential = token === undefined ? credentialOf(request) : credentialInHandshake(token);
  const chatId = CHAT_PATH.exec(pathname)?.groups?.['chatId']?.toLowerCase();
  return { chatId, credential, orgId: orgIdOf(request, searchParams) };
}

/**
 * Returns whether a request is answered as one for a socket. Any other that offers to upgrade, such as to HTTP/2, is
 * answered in HTTP/1.1 as if it had not (RFC 9110, 7.8).
 */
export function asksForSocket({ headers, url }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket' || isSocketPath(pathOf(url));
}

/** Returns whether a request is a handshake for a socket of ours, whatever else may be wrong with it. */
export function isSocketHandshake(request: IncomingMessage): boolean {
  return isHandshake(request) && isSocketPath(pathOf(request.url));
}

function pathOf(url = ''): string {
  return url.split('?')[0] ?? '';
}

function isSocketPath(path: string): boolean {
  return path === EVENTS_PATH || CHAT_PATH.test(path);
}

// Browsers cannot set headers of a handshake.
function orgIdOf({ headersDistinct }: IncomingMessage, query: URLSearchParams): string | undefined {
  const inQuery = query.getAll('org_id');
  const [named, ...others] = inQuery.length > 0 ? inQuery : (headersDistinct['x-org-id'] ?? []);
  if (named === undefined) return undefined;
  const orgId = orgIdSchema.safeParse(named);
  if (!orgId.success || others.length > 0) throw notFound('Organization');
  return orgId.data;
}

// A target with two leading slashes names a host before the path: a proxy before us would see another path.
function readUrl(text: string): URL {
  const url = /^\/[^/]/.test(text) ? URL.parse(text, 'http://localhost') : null;
  if (url === null) throw notFound('Page');
  return url;
}

function isHandshake({ method, headers }: IncomingMessage): boolean {
  const isUpgrade = method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
  return isUpgrade && headers['sec-websocket-version'] === '13' && KEY.test(headers['sec-websocket-key'] ?? '');
}

/** The subprotocol whose frames say what they are about. Another version would have another name. */
export const SUBPROTOCOL = 'everturn.v1';

/** The prefix of a client's offer of a token: browsers can set no other header of a handshake. */
const BEARER = 'bearer.';

/** The subprotocols that a handshake offers, in the order of preference. */
export function offeredSubprotocols({ headers }: Pick<IncomingMessage, 'headers'>): readonly string[] {
  const offered = headers['sec-websocket-protocol'] ?? '';
  return offered
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/**
 * Returns the tokens among offered subprotocols, an alternative to the address, which proxies write into their logs.
 * They count only beside a subprotocol that can be chosen: a token must not be the one that is answered.
 */
export function offeredTokens(offered: readonly string[]): readonly string[] {
  if (!offered.includes(SUBPROTOCOL)) return [];
  return offered.filter((name) => name.startsWith(BEARER)).map((name) => name.slice(BEARER.length));
}

/**
 * Returns the subprotocol that is answered: ours, otherwise the first one of the client, which has the frames of the
 * specification then. Never a token.
 */
export function chosenSubprotocol(offered: readonly string[]): string | undefined {
  return offered.includes(SUBPROTOCOL) ? SUBPROTOCOL : offered.find((name) => !name.startsWith(BEARER));
}
