import type { NextFunction, Request, Response } from 'express';
import type { Origins } from '../../../domain/network/index.ts';

const METHODS = 'GET, POST, PATCH, PUT, DELETE';
/** Headers that requests may have beside those that every page may send. */
const REQUEST_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, If-Match, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, X-Org-Id';
/** Headers with which OpenAI's client tells of itself. */
const OPENAI_HEADER = /^(?:x-stainless|openai)-[a-z-]{1,50}$/;
/** Response headers that pages may read beside those that every page may read. */
const ANSWER_HEADERS =
  'Allow, Content-Disposition, ETag, Link, Mcp-Session-Id, Retry-After, WWW-Authenticate, X-Request-Id, X-Should-Retry, X-Total-Count';
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
