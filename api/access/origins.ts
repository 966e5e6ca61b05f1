import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import { AppError } from '../../domain/core/app-error.ts';
import { hostNameOf, isKnownHost, type Origins } from '../../domain/network/host-names.ts';
import type { ApiContext } from '../context/api-context.ts';

/**
 * Throws unless a request or an upgrade addresses the service by one of its own names. A page whose name is made to
 * lead to this machine (DNS rebinding) shares the service's origin, so nothing else keeps it from reading responses.
 * Ports are not compared: many of them may lead here.
 */
export function checkHost(request: IncomingMessage, { hostNames }: Pick<ApiContext, 'hostNames'>): void {
  for (const host of hostsOf(request)) {
    const name = hostNameOf(host);
    if (name === undefined) throw malformed();
    if (!isKnownHost(name, hostNames)) {
      const words = `This server is not known as ${name}; its operator can allow the name with PUBLIC_URL or ALLOWED_HOSTS`;
      throw new AppError('misdirected', words);
    }
  }
}

// A target in absolute form names a host too, and takes precedence over the header (RFC 9112, 3.2.2).
function hostsOf({ headersDistinct, url = '' }: IncomingMessage): string[] {
  const headers = headersDistinct['host'] ?? [];
  if (headers.length !== 1) throw malformed();
  if (url.startsWith('/') || url === '*') return headers;
  const target = URL.parse(url);
  if (target === null || target.host === '') throw malformed();
  return [...headers, target.host];
}

function malformed(): AppError {
  return new AppError('invalid', 'A request needs exactly one Host header, with a host name or an address');
}

const METHODS = 'GET, POST, PATCH, PUT, DELETE';
/** Headers that requests may have beside those that every page may send. */
const REQUEST_HEADERS =
  'A2A-Extensions, A2A-Version, Authorization, Baggage, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Range, Traceparent, Tracestate, User-Agent, X-A2A-Extensions, X-Org-Id';
/** Headers in which OpenAI's client describes itself. */
const OPENAI_HEADER = /^(?:x-stainless|openai)-[a-z-]{1,50}$/;
/** Response headers that pages may read beside those that every page may read. */
const ANSWER_HEADERS =
  'Accept-Ranges, Allow, Content-Disposition, Content-Range, ETag, Link, Mcp-Session-Id, Retry-After, WWW-Authenticate, X-Request-Id, X-Should-Retry, X-Total-Count';
/** How long a browser may cache the permission. */
const MAX_AGE_SECONDS = 600;
/** The requested headers that are considered. */
const MAX_ASKED = 100;

/**
 * Lets pages of these origins read responses (Fetch standard, "CORS protocol"). Pages of other origins get the same
 * responses, but may not read them.
 */
export function allowOrigins(origins: Origins) {
  return (request: Request, response: Response, next: NextFunction): void => {
    if (origins.size === 0) return next();
    response.vary('Origin');
    const { origin } = request.headers;
    if (origin === undefined || !origins.has(origin)) return next();
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Expose-Headers', ANSWER_HEADERS);
    const isPreflight = request.method === 'OPTIONS' && 'access-control-request-method' in request.headers;
    if (!isPreflight) return next();
    response.setHeader('Access-Control-Allow-Methods', METHODS);
    response.setHeader('Access-Control-Allow-Headers', allowedHeaders(request));
    response.setHeader('Access-Control-Max-Age', String(MAX_AGE_SECONDS));
    response.status(204).end();
  };
}

function allowedHeaders({ headers }: Request): string {
  const asked = headers['access-control-request-headers']?.split(',', MAX_ASKED) ?? [];
  const known = asked.map((name) => name.trim().toLowerCase()).filter((name) => OPENAI_HEADER.test(name));
  return [REQUEST_HEADERS, ...known].join(', ');
}

/**
 * Throws unless a page of this server has sent the request. Browsers say so in headers that no page can write:
 * `Sec-Fetch-Site`, or in older ones `Origin`.
 */
export function requireOwnPage({ headers }: Pick<IncomingMessage, 'headers'>, publicUrl: string): void {
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined ? isOwnOrigin(headers, publicUrl) : site === 'same-origin';
  if (!isOwn) throw new AppError('forbidden', 'Only pages of this server may use the session of a browser');
}

function isOwnOrigin({ origin, host }: IncomingMessage['headers'], publicUrl: string): boolean {
  const from = URL.parse(origin ?? '');
  if (from === null || host === undefined || from.host !== host.toLowerCase()) return false;
  // Only of the public address is it known by which scheme browsers reach it: a proxy may have taken TLS off.
  const known = URL.parse(publicUrl);
  return known === null || from.host !== known.host || from.protocol === known.protocol;
}
