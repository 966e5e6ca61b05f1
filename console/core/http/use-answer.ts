import { type QueryKey, useQuery, type UseQueryOptions, type UseQueryResult } from '@tanstack/react-query';
import type { paths } from '../../openapi.ts';
import { useApi, useOrgId } from '../session/session-context.tsx';
import { type Answered, answerOf, type Api, pageOf } from './api-client.ts';
import { type Pages, type PagesOptions, usePages } from './use-pages.ts';

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
