import { askForIndexes, type IndexState, listIndexes } from '../../db/marketplace/index.ts';
import { present } from '../../domain/core/record-names.ts';
import { BUILTIN_SOURCE } from '../../domain/marketplace/index.ts';
import type { ApiContext } from '../context/api-context.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { pageOf } from '../http/pages.ts';
import { indexSchema } from './index-schema.ts';

const head = { resource: 'marketplace', tag: 'Marketplace' } as const;

/** The routes about the indexes that the operator has added. */
export const indexRoutes = [
  defineRoute({
    ...head,
    access: 'marketplace.view',
    method: 'get',
    path: '/api/marketplace-indexes',
    operationId: 'listMarketplaceIndexes',
    summary: 'The indexes that the operator has added, and how they stand',
    description:
      'In the order of `MARKETPLACE_INDEXES`. While an index cannot be fetched, the items that it had are offered on.',
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
    summary: 'Have the indexes fetched within a minute, instead of within the hour',
    description:
      'Each is fetched once a minute at most: one that was just tried is tried again when its minute is over. `next_check_at` tells when, and `checked_at` when it is done.',
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

// No worker has looked at it yet.
function unseen(source: string): Omit<IndexState, 'id'> {
  return { source, checkedAt: null, fetchedAt: null, nextCheckAt: null, error: null, refused: [], slugs: [] };
}
