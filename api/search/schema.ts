import { z } from 'zod';
import { MAX_FOUND } from '../../db/search/index.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, queryInt, timestamp } from '../http/fields.ts';
import { isLongEnough } from '../../domain/search.ts';
import { text } from '../../domain/core/text.ts';

const MAX_PER_PAGE = 50;

export const searchQuery = z.strictObject({
  q: text(500)
    .refine(isLongEnough, 'must have at least 2 characters')
    .meta({
      minLength: 1,
      description:
        'At least two characters; of Chinese, Japanese and other scripts without blanks one is enough. All words must be in the message, those in quotation marks next to each other. The last word may be the beginning of one.',
      examples: ['"quarterly report" sal'],
    }),
  page: queryInt(1, MAX_FOUND).default(1).meta({ type: 'integer', default: 1, description: 'Which page, from 1 on' }),
  per_page: queryInt(1, MAX_PER_PAGE)
    .default(10)
    .meta({ type: 'integer', default: 10, description: 'How many results a page holds' }),
});

const searchResultSchema = z
  .object({
    chat_id: z.uuid(),
    chat_title: z.string(),
    message_id: z.uuid(),
    excerpt: z.string().meta({
      description: 'HTML: the text around what was found, escaped, with `<mark>` and `</mark>` around each word found',
    }),
    role: z.enum(['user', 'assistant']),
    created_at: timestamp,
  })
  .meta({ id: 'SearchResult' });

export const searchResultsSchema = z
  .object({
    results: searchResultSchema.array().meta({ description: 'The best first' }),
    total: z.int().meta({
      description: `The messages found. A search ends with the ${MAX_FOUND.toLocaleString('en')} newest: this number stands for as many or more.`,
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
