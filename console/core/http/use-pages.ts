import { keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';

/** Which rows of a list are asked for. */
export interface PageQuery {
  readonly limit: number;
  readonly offset: number;
  readonly signal: AbortSignal;
}

/** A list that is read page by page. `Loaded` shows it, `Pager` leads on. */
export interface Pages<T> {
  /** The rows that were read, in the order of the server, each once; `total` is how many there are. */
  readonly data: { readonly items: readonly T[]; readonly total: number } | undefined;
  /** Why the last read failed, whether the first one or that of a further page. */
  readonly error: Error | null;
  /** Why the last try failed while there is another to come. */
  readonly failureReason: Error | null;
  readonly refetch: () => unknown;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly loadMore: () => void;
}

export interface PagesOptions<T> {
  readonly queryKey: QueryKey;
  /** Reads one page, as `pageOf` answers it. */
  readonly read: (page: PageQuery) => Promise<{ items: T[]; total: number }>;
  /** Tells rows apart: one that has moved on to the next page meanwhile is not shown twice. */
  readonly keyOf: (item: T) => string;
  readonly pageSize?: number;
  /** Whether what was read before is shown until another list is there, as while one types what is searched for. */
  readonly isKept?: boolean;
  /** After how many milliseconds what was read is read again, also by what was read; false for never. */
  readonly refetchInterval?: number | false | ((items: readonly T[]) => number | false);
}

const PAGE_SIZE = 50;

/** Returns a list of which further pages are read when they are asked for. */
export function usePages<T>({
  queryKey,
  read,
  keyOf,
  pageSize = PAGE_SIZE,
  isKept = false,
  refetchInterval = false,
}: PagesOptions<T>): Pages<T> {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam: offset, signal }) => read({ limit: pageSize, offset, signal }),
    initialPageParam: 0,
    ...(isKept && { placeholderData: keepPreviousData }),
    getNextPageParam: ({ items, total }, _pages, offset: number) => {
      const next = offset + items.length;
      return items.length > 0 && next < total ? next : undefined;
    },
    refetchInterval:
      typeof refetchInterval === 'function'
        ? ({ state }) => refetchInterval(state.data?.pages.flatMap(({ items }) => items) ?? [])
        : refetchInterval,
  });
  const pages = query.data?.pages;
  const data = useMemo(() => {
    if (pages === undefined) return undefined;
    const rows = new Map(pages.flatMap(({ items }) => items).map((item) => [keyOf(item), item]));
    return { items: [...rows.values()], total: pages.at(-1)?.total ?? 0 };
    // What tells rows apart does not change between renders.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [pages]);
  return {
    data,
    error: query.error,
    failureReason: query.failureReason,
    refetch: query.refetch,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
  };
}
