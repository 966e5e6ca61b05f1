import {
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
  useMutation,
  type UseMutationOptions,
  useQuery,
  useQueryClient,
  type UseQueryOptions,
  type UseQueryResult,
} from '@tanstack/react-query';
import { useMemo } from 'react';
import type { paths } from '../../openapi.ts';
import { useApi, useOrgId } from '../session/session-context.tsx';
import { type Answered, answerOf, type Api, ifMatch, pageOf } from './api-client.ts';

/** The routes that answer JSON to a GET. */
type GetPath = {
  [P in keyof paths]: paths[P] extends { get: { responses: { 200: { content: { 'application/json': unknown } } } } }
    ? P
    : never;
}[keyof paths];

type Get<P extends GetPath> = paths[P] extends { get: infer Operation } ? Operation : never;

/** What a route answers. */
type AnswerTo<P extends GetPath> =
  Get<P> extends { responses: { 200: { content: { 'application/json': infer Answer } } } } ? Answer : never;

/** A record of the list that a route answers. */
type ItemOf<P extends GetPath> = AnswerTo<P> extends (infer Item)[] ? Item : never;

/** The parameters of a route, which are not left out where its path has some. */
type ParamsOf<P extends GetPath> =
  Get<P> extends { parameters: infer Params }
    ? Params extends { path: object }
      ? { readonly params: Omit<Params, 'header' | 'cookie'> }
      : { readonly params?: Omit<Params, 'header' | 'cookie'> }
    : object;

/** Options with the parameters of a route; left out where none is needed. */
type Given<P extends GetPath, O> = object extends O & ParamsOf<P> ? [options?: O & ParamsOf<P>] : [O & ParamsOf<P>];

type QueryOptions<T> = Omit<UseQueryOptions<T>, 'queryKey' | 'queryFn'>;

/** Reads what a route answers; the key is that of the data within the organization. */
export function useAnswer<P extends GetPath>(
  key: QueryKey,
  path: P,
  ...[given]: Given<P, QueryOptions<AnswerTo<P>>>
): UseQueryResult<AnswerTo<P>> {
  const [api, orgId] = [useApi(), useOrgId()];
  const { params, options } = split(given);
  return useQuery<AnswerTo<P>>({
    ...(options as QueryOptions<AnswerTo<P>>),
    queryKey: [orgId, ...key],
    queryFn: async ({ signal }) => answerOf(get<AnswerTo<P>>(api, path, { params, signal })),
  });
}

/** The first page of a list, with the number of all its records. */
interface FirstPage<T> {
  readonly items: T[];
  readonly total: number;
}

/** Reads the first page of a list; the key is that of the data within the organization. */
export function useFirstPage<P extends GetPath>(
  key: QueryKey,
  path: P,
  ...[given]: Given<P, QueryOptions<FirstPage<ItemOf<P>>>>
): UseQueryResult<FirstPage<ItemOf<P>>> {
  const [api, orgId] = [useApi(), useOrgId()];
  const { params, options } = split(given);
  return useQuery<FirstPage<ItemOf<P>>>({
    ...(options as QueryOptions<FirstPage<ItemOf<P>>>),
    queryKey: [orgId, ...key],
    queryFn: async ({ signal }) => pageOf(get<ItemOf<P>[]>(api, path, { params, signal })),
  });
}

type ListOptions<T> = Partial<Omit<PagesOptions<T>, 'queryKey' | 'read'>>;

/**
 * Reads a list page by page; the key is that of the data within the organization. Rows are told apart by their ids
 * unless `keyOf` is given.
 */
export function useAnswerPages<P extends GetPath>(
  key: QueryKey,
  path: P,
  ...[given]: Given<P, ListOptions<ItemOf<P>>>
): Pages<ItemOf<P>> {
  const [api, orgId] = [useApi(), useOrgId()];
  const { params, options } = split(given);
  return usePages<ItemOf<P>>({
    keyOf: (item) => String((item as { readonly id?: unknown }).id),
    ...(options as ListOptions<ItemOf<P>>),
    queryKey: [orgId, ...key],
    read: async ({ signal, ...page }) => {
      const query = { ...params?.query, ...page };
      return pageOf(get<ItemOf<P>[]>(api, path, { params: { ...params, query }, signal }));
    },
  });
}

interface Params {
  readonly path?: object;
  readonly query?: object;
}

function split(given: object = {}): { readonly params: Params | undefined; readonly options: object } {
  const { params, ...options }: { readonly params?: Params } = given;
  return { params, options };
}

interface Request {
  readonly params: Params | undefined;
  readonly signal: AbortSignal;
}

/** Sends a request, whose path and parameters the signatures above have checked against each other. */
async function get<T>(api: Api, path: string, { params, signal }: Request): Promise<Answered<T>> {
  const send = api.GET as unknown as (path: string, init: object) => Promise<Answered<T>>;
  return send(path, { ...(params !== undefined && { params }), signal });
}

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

type Path = keyof paths;

/** The body of a request. */
type Body<P extends Path, Method extends 'post' | 'patch'> = paths[P] extends {
  [M in Method]: { requestBody: { content: { 'application/json': infer Sent } } };
}
  ? Sent
  : never;

/** The record that a route answers with after adding it. */
type Added<P extends Path> = paths[P] extends {
  post: { responses: { 201: { content: { 'application/json': infer Answer } } } };
}
  ? Answer
  : never;

type Send = (path: string, init: object) => Promise<Answered<unknown>>;

/**
 * Returns actions that add, change and delete the records of a list, and read the data under `key` again.
 *
 * @param one the path of one record, which ends with its id.
 */
export function useRecordActions<List extends Path, One extends Path>(key: string, list: List, one: One) {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  const queryKey = [orgId, key];
  const idName = one.slice(one.lastIndexOf('{') + 1, -1);
  const at = (id: string) => ({ path: { [idName]: id } });
  const read = async () => cache.invalidateQueries({ queryKey });
  return {
    read,
    add: async (body: Body<List, 'post'>): Promise<Added<List>> => {
      const added = await answerOf((api.POST as unknown as Send)(list, { body }));
      await read();
      return added as Added<List>;
    },
    /** Stores changes; 412 when somebody else has changed the record since `version`, unless that is left out. */
    change: async (id: string, body: Body<One, 'patch'>, version?: string) => {
      const params = { ...at(id), header: ifMatch(version) };
      await answerOf((api.PATCH as unknown as Send)(one, { params, body }));
      await read();
    },
    /** Deletes a record. Its own page, which is still open, is not read again: it would show that there is nothing. */
    remove: async (id: string, query: Readonly<Record<string, unknown>> = {}) => {
      await answerOf((api.DELETE as unknown as Send)(one, { params: { ...at(id), query } }));
      void cache.invalidateQueries({ queryKey, refetchType: 'none' });
      await cache.refetchQueries({ queryKey, type: 'active', predicate: (read) => !read.queryKey.includes(id) });
    },
  };
}

interface SendOptions<T, V> extends Pick<UseMutationOptions<T, Error, V>, 'gcTime'> {
  /** Which data of the organization is read again, by the first parts of its keys. */
  readonly reads: readonly QueryKey[];
  /** Whether it is read again also after a failure, which may be due to what others have changed. */
  readonly isAlways?: boolean;
}

/** Returns a mutation that sends a request, and has ended once data that it changes was read again. */
export function useSend<T, V = void>(
  send: (api: Api, variables: V) => Promise<Answered<T>>,
  { reads, isAlways = false, ...options }: SendOptions<T, V>,
) {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  const readAgain = async () => Promise.all(reads.map((key) => cache.invalidateQueries({ queryKey: [orgId, ...key] })));
  return useMutation({
    ...options,
    mutationFn: async (variables: V) => answerOf(send(api, variables)),
    [isAlways ? 'onSettled' : 'onSuccess']: readAgain,
  });
}
