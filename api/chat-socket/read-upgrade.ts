import type { IncomingMessage } from 'node:http';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { bearerTokenOf } from '../core/trace-credential.ts';

const PATH = /^\/ws\/chat\/(?<chatId>[^/]+)$/;
const KEY = /^[+/0-9A-Za-z]{22}==$/;

/** What the request for a socket asks for, and with which token. Throws for a request that is none for a chat's socket. */
export function readUpgrade(request: IncomingMessage): { chatId: string; token: string } {
  const { pathname, searchParams } = readUrl(request.url ?? '');
  const chatId = PATH.exec(pathname)?.groups?.['chatId'];
  if (chatId === undefined) throw notFound('Page');
  if (!isHandshake(request)) {
    throw new AppError('invalid', 'This is no handshake of a WebSocket of version 13 (RFC 6455)');
  }
  const tokens = searchParams.getAll('token');
  const [token, ...others] = tokens.length > 0 ? tokens : bearersOf(request);
  if (token === undefined || others.length > 0) throw unauthenticated();
  return { chatId: chatId.toLowerCase(), token };
}

/** Says that a token is missing or not good. */
export function unauthenticated(): AppError {
  return new AppError('unauthenticated', 'Missing or invalid token');
}

// What begins with two slashes names a host before the path: whoever looks at paths before us sees another one.
function readUrl(text: string): URL {
  const url = /^\/[^/]/.test(text) ? URL.parse(text, 'http://localhost') : null;
  if (url === null) throw notFound('Page');
  return url;
}

function isHandshake({ method, headers }: IncomingMessage): boolean {
  const isUpgrade = method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
  return isUpgrade && headers['sec-websocket-version'] === '13' && KEY.test(headers['sec-websocket-key'] ?? '');
}

// For clients that can set headers: their token stays out of the logs of proxies.
function bearersOf({ headersDistinct }: IncomingMessage): string[] {
  const headers = headersDistinct['authorization'] ?? [];
  return headers.map((header) => bearerTokenOf(header) ?? '');
}
