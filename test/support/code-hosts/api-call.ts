import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request, as the APIs of the tests look at it. */
export interface ApiCall {
  readonly method: string;
  /** Decoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  readonly origin: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Answers with JSON, and with 304 when the caller has it already. */
export function answerJson({ request, response }: ApiCall, value: unknown, headers: Record<string, string> = {}): void {
  const body = JSON.stringify(value);
  const etag = `W/"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`;
  const isKnown = request.method === 'GET' && request.headers['if-none-match'] === etag;
  response.writeHead(isKnown ? 304 : 200, {
    'Content-Type': 'application/json; charset=utf-8',
    ETag: etag,
    ...headers,
  });
  response.end(isKnown ? undefined : body);
}

/** One page of a list, with what leads to the next. */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly page: number;
  readonly pages: number;
  readonly total: number;
}

/** Returns the page of a list that a call asks for, in pages of so many at most. */
export function pageOf<T>({ query }: ApiCall, all: readonly T[], sizeName: string, maxSize: number): ListPage<T> {
  const size = Math.min(Number(query.get(sizeName) ?? 20), maxSize);
  const page = Number(query.get('page') ?? 1);
  return {
    items: all.slice((page - 1) * size, page * size),
    page,
    pages: Math.ceil(all.length / size),
    total: all.length,
  };
}

/** Returns the `Link` header of a page, as RFC 8288 writes it. */
export function linkHeader({ origin, request }: ApiCall, { page, pages }: ListPage<unknown>): Record<string, string> {
  const to = (number: number, rel: string) => {
    const url = new URL(request.url ?? '', origin);
    url.searchParams.set('page', String(number));
    return `<${url.href}>; rel="${rel}"`;
  };
  const links = [
    ...(page > 1 ? [to(1, 'first'), to(page - 1, 'prev')] : []),
    ...(page < pages ? [to(page + 1, 'next'), to(pages, 'last')] : []),
  ];
  return links.length === 0 ? {} : { Link: links.join(', ') };
}

/** Returns whether a record was changed since the time that a call names. */
export function isSince({ query }: ApiCall, name: string, changedAt: Date): boolean {
  const since = query.get(name);
  return since === null || changedAt.getTime() >= Date.parse(since);
}
