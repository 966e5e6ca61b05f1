import { answerOf } from '../core/http/api-client.ts';
import { type Pages, usePages } from '../core/http/use-pages.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';

export type FoundMessage = components['schemas']['SearchResult'];

const PAGE_SIZE = 20;

/** Returns the messages that a search finds, the best first. */
export function useFoundMessages(query: string): Pages<FoundMessage> {
  const [api, orgId] = [useApi(), useOrgId()];
  return usePages({
    queryKey: [orgId, 'chats', 'search', query],
    pageSize: PAGE_SIZE,
    keyOf: ({ message_id: id }) => id,
    read: async ({ limit, offset, signal }) => {
      const page = { q: query, page: offset / limit + 1, per_page: limit };
      const { results, total } = await answerOf(api.GET('/api/chats/search', { params: { query: page }, signal }));
      return { items: results, total };
    },
  });
}
