import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf, ifMatch, pageOf } from '../core/http/api-client.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';

type Schemas = components['schemas'];
export type Channel = Schemas['Channel'];
export type ChannelKind = Schemas['ChannelKind'];
export type NewChannel = Schemas['ChannelCreate'];
export type ChannelChanges = Schemas['ChannelUpdate'];

const query = { limit: 1_000 };

/** Returns the channels of the organization. */
export function useChannels(): UseQueryResult<{ items: Channel[]; total: number }> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'channels', 'list'],
    queryFn: async ({ signal }) => pageOf(api.GET('/api/channels', { params: { query }, signal })),
  });
}

/** Returns one channel. */
export function useChannel(id: string): UseQueryResult<Channel> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'channels', 'one', id],
    queryFn: async ({ signal }) =>
      answerOf(api.GET('/api/channels/{channel_id}', { params: { path: { channel_id: id } }, signal })),
  });
}

/** Returns what adds, changes and deletes channels, and reads them again. */
export function useChannelActions() {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  const read = async () => cache.invalidateQueries({ queryKey: [orgId, 'channels'] });
  const at = (id: string) => ({ path: { channel_id: id } });
  return {
    read,
    add: async (body: NewChannel): Promise<Channel> => {
      const added = await answerOf(api.POST('/api/channels', { body }));
      await read();
      return added;
    },
    /** Stores changes; 412 when the channel was changed since `version`, unless that is left out. */
    change: async (id: string, body: ChannelChanges, version?: string) => {
      const params = { ...at(id), header: ifMatch(version) };
      await answerOf(api.PATCH('/api/channels/{channel_id}', { params, body }));
      await read();
    },
    remove: async (id: string) => {
      await answerOf(api.DELETE('/api/channels/{channel_id}', { params: at(id) }));
      await read();
    },
  };
}
