import type { IncomingMessage, RequestListener } from 'node:http';

/** How long the body of a request may take to arrive, in milliseconds, unless its route allows it more. */
export const BODY_TIME_MS = 30_000;

interface Deadline {
  extend(ms: number): void;
}

const deadlines = new WeakMap<IncomingMessage, Deadline>();

/**
 * Serves requests, and calls `reject` for one whose body has not arrived in time. Node has one limit for all requests
 * of a server, and files take longer than everything else.
 */
export function limitRequestTime(
  serve: RequestListener,
  { timeMs, reject }: { readonly timeMs: number; readonly reject: (request: IncomingMessage) => void },
): RequestListener {
  return (request, response) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (encoding === undefined && (length === undefined || length === '0')) return serve(request, response);
    const begin = (ms: number) =>
      setTimeout(() => {
        if (!request.complete) reject(request);
      }, ms).unref();
    let timer = begin(timeMs);
    deadlines.set(request, {
      extend: (ms) => {
        clearTimeout(timer);
        timer = begin(ms);
      },
    });
    request.once('close', () => clearTimeout(timer));
    return serve(request, response);
  };
}

/** Gives the body of a request so many milliseconds from now to arrive. */
export function allowTime(request: IncomingMessage, ms: number): void {
  deadlines.get(request)?.extend(ms);
}
