import type { Request, Response } from 'express';
import type { Listed, Page } from '../../db/core/index.ts';

/** A page of a list that ships with the service. */
export function pageOf<T>(all: readonly T[], { limit = all.length, offset = 0 }: Page): Listed<T> {
  const end = offset + limit;
  const items = all.slice(offset, end);
  return { items, total: all.length, nextOffset: items.length > 0 && end < all.length ? end : undefined };
}

/** How many records a list has in all. */
const TOTAL_COUNT = 'X-Total-Count';

/** Says how many records a list has in all and where its next page begins, and returns those of this one. */
export function answerPage<T>(
  { items, total, nextOffset }: Listed<T>,
  request: Request,
  response: Response,
): readonly T[] {
  response.setHeader(TOTAL_COUNT, String(total));
  // RFC 8288: the address of the next page is relative to this one, so it holds behind every proxy.
  if (nextOffset !== undefined) {
    const query = new URLSearchParams(request.originalUrl.split('?')[1]);
    query.set('offset', String(nextOffset));
    response.setHeader('Link', `<?${query.toString()}>; rel="next"`);
  }
  return items;
}
