import { z } from 'zod';
import { MAX_FOUND, searchMessages } from '../../db/search/search-messages.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, queryInt, timestamp } from '../http/fields.ts';
import { isLongEnough } from '../../domain/search.ts';
import { text } from '../../domain/core/text.ts';
import { present } from '../../domain/core/record-names.ts';
import { readerOf } from '../chats/own-chat.ts';
import { defineRoute } from '../http/define-route.ts';

const MAX_PER_PAGE = 50;

const searchQuery = z.strictObject({
  q: text(500)
    .refine(isLongEnough, 'must have at least 2 characters')
    .meta({
      minLength: 1,
      description:
        'At least two characters; one is enough in Chinese, Japanese and other scripts without spaces. The message must contain all words; words in quotation marks must be adjacent. The last word may be a prefix.',
      examples: ['"quarterly report" sal'],
    }),
  page: queryInt(1, MAX_FOUND).default(1).meta({ type: 'integer', default: 1, description: 'The page number, from 1' }),
  per_page: queryInt(1, MAX_PER_PAGE)
    .default(10)
    .meta({ type: 'integer', default: 10, description: 'The number of results per page' }),
});

const searchResultSchema = z
  .object({
    chat_id: z.uuid(),
    chat_title: z.string(),
    message_id: z.uuid(),
    excerpt: z.string().meta({
      description: 'HTML: the text around the match, escaped, with `<mark>` and `</mark>` around each matching word',
    }),
    role: z.enum(['user', 'assistant']),
    created_at: timestamp,
  })
  .meta({ id: 'SearchResult' });

const searchResultsSchema = z
  .object({
    results: searchResultSchema.array().meta({ description: 'The best first' }),
    total: z.int().meta({
      description: `The number of messages found. At most the ${MAX_FOUND.toLocaleString('en')} newest matches are counted; that number means as many or more.`,
    }),
    query: z.string(),
  })
  .meta({
    id: 'SearchResults',
    examples: [
      {
        results: [
          {
            chat_id: EXAMPLE_ID,
            chat_title: 'Quarterly report',
            message_id: EXAMPLE_ID,
            excerpt: 'The <mark>report</mark> says that <mark>sales</mark> rose.',
            role: 'assistant',
            created_at: EXAMPLE_TIME,
          },
        ],
        total: 1,
        query: 'report sal',
      },
    ],
  });

export const searchRoutes = [
  defineRoute({
    resource: 'messages',
    access: 'in_org',
    action: 'search',
    tag: 'Chats',
    method: 'get',
    path: '/api/chats/search',
    operationId: 'searchMessages',
    summary: 'Search the messages of your chats and of chats shared with you',
    description:
      'Finds words in any language, ignoring case and accents, in messages of your chats, of chats shared with you, and of the sub-agents that worked for them; deleted chats are not searched. A message can be found as soon as it is stored, by its first 16,000 words. Results are ranked by frequency and proximity of the words, and by age.',
    query: searchQuery,
    response: { status: 200, schema: searchResultsSchema },
    handler: async ({ caller, query: { q, page, per_page: perPage } }, { database }) => {
      const found = await searchMessages(database, readerOf(caller), q, { page, perPage });
      return present(searchResultsSchema, found, { query: q });
    },
  }),
];
