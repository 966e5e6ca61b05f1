import type { Listed, Page } from '../../db/core/index.ts';

/** A page of a list that ships with the service. */
export function pageOf<T>(all: readonly T[], { limit = all.length, offset = 0 }: Page): Listed<T> {
  const end = offset + limit;
  const items = all.slice(offset, end);
  return { items, total: all.length, nextOffset: items.length > 0 && end < all.length ? end : undefined };
}
