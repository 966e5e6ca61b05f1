import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { answerOf } from '../core/http/api-client.ts';
import { type Pages, usePages } from '../core/http/use-pages.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';

export type FoundMessage = components['schemas']['SearchResult'];
export type FoundIssue = components['schemas']['Issue'];

const PAGE_SIZE = 20;
const MOST_ISSUES = 10;

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

/** Returns the first issues that have words in their title or description; asks for nothing without words. */
export function useFoundIssues(query: string): UseQueryResult<FoundIssue[]> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'issues', 'search', query],
    enabled: query !== '',
    queryFn: async ({ signal }) =>
      answerOf(api.GET('/api/issues', { params: { query: { q: query, limit: MOST_ISSUES } }, signal })),
  });
}
