import type { SeenRequest } from '../outside-server.ts';

/** An answer of another status than 200, in the words of Google. */
export class Refused {
  readonly status: number;
  readonly message: string;
  readonly reason: string | undefined;

  constructor(status: number, message: string, reason?: string) {
    this.status = status;
    this.message = message;
    this.reason = reason;
  }
}

/** A request as a route takes it. */
export interface RouteRequest {
  /** What the path holds in the places of the route, decoded. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
  readonly body: string;
  /** The body as JSON; an empty object where it is none. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** What a route answers: JSON, or a text as it is; undefined for nothing. */
type Handler = (request: RouteRequest) => unknown;

/** The routes of an API, by method and path; `*` stands for one part of a path. */
export type Routes = Readonly<Record<string, Handler>>;

/** Answers a request by the route that it belongs to. */
export function answerBy(routes: Routes, { method, url, body }: SeenRequest): unknown {
  const { pathname, searchParams: query } = new URL(url, 'http://127.0.0.1');
  for (const [route, handler] of Object.entries(routes)) {
    const [verb, path = ''] = route.split(' ');
    const pattern = path.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '([^/:]+)');
    const found = verb === method ? new RegExp(`^${pattern}$`).exec(pathname) : null;
    if (found !== null)
      return handler({ parts: found.slice(1).map(decodeURIComponent), query, body, json: jsonOf(body) });
  }
  return new Refused(404, 'Not Found');
}

function jsonOf(body: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(body) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}
