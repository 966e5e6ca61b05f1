import { z } from 'zod';
import { EXAMPLE_TIME, timestamp } from '../http/fields.ts';

const SOURCE = 'https://items.example.com/index.json';

export const indexSchema = z
  .object({
    source: z.string().meta({ description: 'Its address, without credentials and query' }),
    item_count: z.int().meta({ description: 'Items of it that are offered' }),
    fetched_at: timestamp.nullable().meta({ description: 'When it was last fetched; its items are those of then' }),
    checked_at: timestamp.nullable().meta({ description: 'When that was last tried' }),
    next_check_at: timestamp.nullable().meta({ description: 'When it is tried next; null before the first time' }),
    error: z.string().nullable().meta({ description: 'Why it could not be fetched the last time' }),
    refused: z
      .object({ item: z.string().meta({ description: 'Its slug, or its place in the index' }), reason: z.string() })
      .meta({ id: 'RefusedMarketplaceItem' })
      .array()
      .meta({
        description: 'Items that are not offered as the index lists them; an earlier version that was taken stays',
      }),
    hidden: z
      .object({ slug: z.string(), by: z.string().meta({ description: 'The source of the item that is offered' }) })
      .meta({ id: 'HiddenMarketplaceItem' })
      .array()
      .meta({ description: 'Items whose slug is that of an item that ships with the service, or of an earlier index' }),
  })
  .meta({
    id: 'MarketplaceIndex',
    examples: [
      {
        source: SOURCE,
        item_count: 12,
        fetched_at: EXAMPLE_TIME,
        checked_at: EXAMPLE_TIME,
        next_check_at: EXAMPLE_TIME,
        error: null,
        refused: [{ item: 'log-reader', reason: 'its archive has another SHA-256 than the index says' }],
        hidden: [{ slug: 'code-reviewer', by: 'builtin' }],
      },
    ],
  });
