import { useQueryClient } from '@tanstack/react-query';
import { type Api, answerOf, pageOf } from '../core/http/api-client.ts';
import { type PageQuery, type Pages, usePages } from '../core/http/use-answer.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { Kind } from './kinds.ts';

/** A record that was deleted and can be restored. */
export interface DeletedRecord {
  readonly id: string;
  readonly name: string;
  readonly deletedAt: string | null;
  /** The user who has deleted it: null when that is not known, undefined for what only its owner deletes. */
  readonly deletedBy?: string | null;
  /** When it is removed for good; null for what is kept. */
  readonly purgeAt: string | null;
}

interface FoundPage {
  readonly items: DeletedRecord[];
  readonly total: number;
}

/** Returns the deleted records of a kind that the user may restore. */
export function useDeleted(kind: Kind): Pages<DeletedRecord> {
  const [api, orgId] = [useApi(), useOrgId()];
  return usePages({
    // Beside the other lists of the capability, so that what changes one of its records has this one read again.
    queryKey: [orgId, kind, 'deleted'],
    keyOf: ({ id }) => id,
    read: async (page) => LISTS[kind](api, page),
  });
}

/** Returns what restores a record, or deletes a provider account for good, and reads the lists of its kind again. */
export function useTrashActions(kind: Kind) {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  const read = async () => cache.invalidateQueries({ queryKey: [orgId, kind] });
  return {
    restore: async (id: string) => {
      await RESTORES[kind](api, id);
      await read();
    },
    purgeAccount: async (id: string) => {
      await answerOf(api.DELETE('/api/providers/{provider_id}/purge', { params: { path: { provider_id: id } } }));
      await read();
    },
  };
}

const LISTS: Readonly<Record<Kind, (api: Api, page: PageQuery) => Promise<FoundPage>>> = {
  chats: async (api, page) => {
    const { items, total } = await pageOf(api.GET('/api/chats', deletedOf(page)));
    return {
      items: items.map(({ id, title, deleted_at: deletedAt, purge_at: purgeAt }) => ({
        id,
        name: title,
        deletedAt,
        purgeAt,
      })),
      total,
    };
  },
  agents: async (api, page) => toRecords(await pageOf(api.GET('/api/agents', deletedOf(page)))),
  providers: async (api, page) => toRecords(await pageOf(api.GET('/api/providers', deletedOf(page)))),
  projects: async (api, page) => toRecords(await pageOf(api.GET('/api/projects', deletedOf(page)))),
};

const RESTORES: Readonly<Record<Kind, (api: Api, id: string) => Promise<unknown>>> = {
  chats: async (api, id) => answerOf(api.PATCH('/api/chats/{chat_id}/restore', { params: { path: { chat_id: id } } })),
  agents: async (api, id) =>
    answerOf(api.PATCH('/api/agents/{agent_id}/restore', { params: { path: { agent_id: id } } })),
  providers: async (api, id) =>
    answerOf(api.PATCH('/api/providers/{provider_id}/restore', { params: { path: { provider_id: id } } })),
  projects: async (api, id) =>
    answerOf(api.PATCH('/api/projects/{project_id}/restore', { params: { path: { project_id: id } } })),
};

function deletedOf({ limit, offset, signal }: PageQuery) {
  return { params: { query: { deleted: true, limit, offset } }, signal };
}

interface StoredRecord {
  readonly id: string;
  readonly name: string;
  readonly deleted_at: string | null;
  readonly deleted_by: string | null;
}

function toRecords({ items, total }: { items: readonly StoredRecord[]; total: number }): FoundPage {
  const records = items.map(({ id, name, deleted_at: deletedAt, deleted_by: deletedBy }) => ({
    id,
    name,
    deletedAt,
    deletedBy,
    purgeAt: null,
  }));
  return { items: records, total };
}
