import { searchMessages } from '../../db/search/index.ts';
import { present } from '../../domain/core/record-names.ts';
import { readerOf } from '../chats/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { searchQuery, searchResultsSchema } from './schema.ts';

export const searchRoutes = [
  defineRoute({
    resource: 'messages',
    access: 'in_org',
    action: 'search',
    tag: 'Chats',
    method: 'get',
    path: '/api/chats/search',
    operationId: 'searchMessages',
    summary: 'Search the messages of your chats and of those that others share',
    description:
      'Finds words in any language, whatever their case and accents, in messages of your chats, of those that others share with you, and of the sub-agents that worked for them; not in deleted chats. A message can be found as soon as it is stored, by its first 16,000 words. The order goes by how often and how near to each other the words are, and by age.',
    query: searchQuery,
    response: { status: 200, schema: searchResultsSchema },
    handler: async ({ caller, query: { q, page, per_page: perPage } }, { database }) => {
      const found = await searchMessages(database, readerOf(caller), q, { page, perPage });
      return present(searchResultsSchema, found, { query: q });
    },
  }),
];
