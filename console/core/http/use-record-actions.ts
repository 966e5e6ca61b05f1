import { useQueryClient } from '@tanstack/react-query';
import type { paths } from '../../openapi.ts';
import { useApi, useOrgId } from '../session/session-context.tsx';
import { type Answered, answerOf, ifMatch } from './api-client.ts';

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
