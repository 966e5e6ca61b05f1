import type { Request, Response } from 'express';
import type { Listed, Page } from '../../db/core/page.ts';

/** Returns a page of a list that ships with the service. */
export function pageOf<T>(all: readonly T[], { limit = all.length, offset = 0 }: Page): Listed<T> {
  const end = offset + limit;
  const items = all.slice(offset, end);
  return { items, total: all.length, nextOffset: items.length > 0 && end < all.length ? end : undefined };
}

/** The header for the number of records in the whole list. */
const TOTAL_COUNT = 'X-Total-Count';

/** Sets the headers for a list's total and next page; returns the items of this page. */
export function answerPage<T>(
  { items, total, nextOffset }: Listed<T>,
  request: Request,
  response: Response,
): readonly T[] {
  response.setHeader(TOTAL_COUNT, String(total));
  // RFC 8288: the address of the next page is relative to this one, so it works behind every proxy.
  if (nextOffset !== undefined) {
    const query = new URLSearchParams(request.originalUrl.split('?')[1]);
    query.set('offset', String(nextOffset));
    response.setHeader('Link', `<?${query.toString()}>; rel="next"`);
  }
  return items;
}
