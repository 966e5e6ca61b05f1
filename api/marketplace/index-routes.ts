import { z } from 'zod';
import { askForIndexes, type IndexState, listIndexes } from '../../db/marketplace/marketplace-indexes.ts';
import { present } from '../../domain/core/record-names.ts';
import { BUILTIN_SOURCE } from '../../domain/marketplace.ts';
import type { ApiContext } from '../context/api-context.ts';
import { defineRoute } from '../http/define-route.ts';
import { EXAMPLE_TIME, pageQuery, timestamp } from '../http/fields.ts';
import { pageOf } from '../http/pages.ts';

const head = { resource: 'marketplace', tag: 'Marketplace' } as const;

const SOURCE = 'https://items.example.com/index.json';

const indexSchema = z
  .object({
    source: z.string().meta({ description: 'Its address, without credentials and query' }),
    item_count: z.int().meta({ description: 'The number of its items that are offered' }),
    fetched_at: timestamp
      .nullable()
      .meta({ description: 'When it was last fetched successfully; its items are as of that time' }),
    checked_at: timestamp.nullable().meta({ description: 'When a fetch was last tried' }),
    next_check_at: timestamp.nullable().meta({ description: 'When the next fetch is due; null before the first one' }),
    error: z.string().nullable().meta({ description: 'Why the last fetch failed' }),
    refused: z
      .object({ item: z.string().meta({ description: 'Its slug, or its position in the index' }), reason: z.string() })
      .meta({ id: 'RefusedMarketplaceItem' })
      .array()
      .meta({
        description: 'Items that are not offered as the index lists them; an earlier accepted version is kept',
      }),
    hidden: z
      .object({
        slug: z.string(),
        by: z.string().meta({ description: 'The source of the item that is offered instead' }),
      })
      .meta({ id: 'HiddenMarketplaceItem' })
      .array()
      .meta({
        description: 'Items whose slug is already used by an item that ships with the service or by an earlier index',
      }),
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

/** The routes about the indexes that the operator has added. */
export const indexRoutes = [
  defineRoute({
    ...head,
    access: 'marketplace.view',
    method: 'get',
    path: '/api/marketplace-indexes',
    operationId: 'listMarketplaceIndexes',
    summary: 'List the indexes that the operator has added, with their status',
    description:
      'In the order of `MARKETPLACE_INDEXES`. While an index cannot be fetched, its last known items remain available.',
    query: pageQuery,
    response: { status: 200, schema: indexSchema.array() },
    handler: async ({ caller: { orgId }, query, answerPage }, context) =>
      answerPage(pageOf(await stateOfIndexes(context, orgId), query)).map((index) => present(indexSchema, index)),
  }),
  defineRoute({
    ...head,
    access: 'marketplace.manage',
    action: 'refresh',
    method: 'post',
    path: '/api/marketplace-indexes/refresh',
    operationId: 'refreshMarketplaceIndexes',
    summary: 'Fetch the indexes within a minute instead of within the hour',
    description:
      'Each index is fetched at most once a minute; one that was just tried is tried again once its minute is over. `next_check_at` says when that will be, and `checked_at` when it was last done.',
    response: { status: 200, schema: indexSchema.array() },
    handler: async ({ caller: { orgId } }, context) => {
      const { database, marketplace } = context;
      await askForIndexes(
        database,
        marketplace.indexes.map(({ source }) => source),
      );
      return (await stateOfIndexes(context, orgId)).map((index) => present(indexSchema, index));
    },
  }),
];

async function stateOfIndexes({ database, marketplace }: ApiContext, orgId: string) {
  const sources = marketplace.indexes.map(({ source }) => source);
  const states = new Map((await listIndexes(database, orgId, sources)).map((state) => [state.source, state]));
  const ownerOf = new Map(marketplace.shipped.map(({ slug }) => [slug, BUILTIN_SOURCE]));
  return sources.map((source) => {
    const { slugs, ...state } = states.get(source) ?? unseen(source);
    const hidden = slugs.flatMap((slug) => {
      const by = ownerOf.get(slug);
      return by === undefined ? [] : [{ slug, by }];
    });
    for (const slug of slugs) if (!ownerOf.has(slug)) ownerOf.set(slug, source);
    return { ...state, itemCount: slugs.length - hidden.length, hidden };
  });
}

// The state of an index that no worker has read yet.
function unseen(source: string): Omit<IndexState, 'id'> {
  return { source, checkedAt: null, fetchedAt: null, nextCheckAt: null, error: null, refused: [], slugs: [] };
}
