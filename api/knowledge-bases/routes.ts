import type { z } from 'zod';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import {
  createKnowledgeBase,
  deleteKnowledgeBase,
  getKnowledgeBase,
  type KnowledgeBase,
  listKnowledgeBases,
  updateKnowledgeBase,
} from '../../db/knowledge-bases/knowledge-bases.ts';
import { createQuery, takeQuery } from '../../db/knowledge-bases/search/queries.ts';
import { type FindVectors, searchedBy, searchPassages } from '../../db/knowledge-bases/search/search-passages.ts';
import { KeyedSemaphore } from '../../domain/core/keyed-semaphore.ts';
import { present, toFields } from '../../domain/core/record-names.ts';
import { OFF } from '../../domain/embeddings.ts';
import { runShort } from '../../workflows/short/client.ts';
import type { ApiContext } from '../context/api-context.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { documentFileRoutes, documentRoutes } from './document-routes.ts';
import {
  foundPassagesSchema,
  knowledgeBaseChangesSchema,
  knowledgeBaseSchema,
  newKnowledgeBaseSchema,
  passageQuery,
} from './schema.ts';

const view = { resource: 'knowledge_bases', access: 'knowledge_bases.view', tag: 'Knowledge bases' } as const;
const manage = { resource: 'knowledge_bases', access: 'knowledge_bases.manage', tag: 'Knowledge bases' } as const;
const path = '/api/knowledge-bases/{knowledge_base_id}';

export const knowledgeBaseRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/knowledge-bases',
    operationId: 'listKnowledgeBases',
    summary: 'List the knowledge bases of the organization',
    query: pageQuery,
    response: { status: 200, schema: knowledgeBaseSchema.array() },
    handler: async ({ caller, query, answerPage }, { database }) =>
      answerPage(await listKnowledgeBases(database, caller.orgId, query)).map(presentKnowledgeBase),
  }),
  defineRoute({
    ...view,
    method: 'get',
    path,
    operationId: 'getKnowledgeBase',
    summary: 'Get a knowledge base',
    response: { status: 200, schema: knowledgeBaseSchema },
    handler: async ({ caller, params: { knowledge_base_id: id } }, { database }) =>
      presentKnowledgeBase(await getKnowledgeBase(database, caller.orgId, id)),
  }),
  defineRoute({
    ...view,
    action: 'search',
    method: 'get',
    path: `${path}/search`,
    operationId: 'searchKnowledgeBase',
    summary: 'Search the passages of a knowledge base',
    description:
      'Finds passages of ready documents, with their sources: by keyword (in any language, ignoring case and accents) and, where passages have embeddings, by meaning. When no provider account returns an embedding for the query, only keywords are used, and `meaning` says why.',
    query: passageQuery,
    response: { status: 200, schema: foundPassagesSchema },
    handler: async ({ caller: { orgId }, params: { knowledge_base_id: id }, query: { q, top_k: limit } }, context) => {
      const { database } = context;
      await getKnowledgeBase(database, orgId, id);
      const search = { query: q, baseIds: [id], limit };
      const found = await searchPassages(database, orgId, search, findVectorsOf(context, orgId));
      return present(foundPassagesSchema, found, { query: q, searchedBy: searchedBy(found.meaning) });
    },
  }),
  defineRoute({
    ...manage,
    method: 'post',
    path: '/api/knowledge-bases',
    operationId: 'createKnowledgeBase',
    summary: 'Add a knowledge base',
    body: newKnowledgeBaseSchema,
    errors: [409],
    response: { status: 201, schema: knowledgeBaseSchema },
    handler: async ({ caller: { orgId }, body }, { database, orgLimits }) => {
      const fields = toFields(newKnowledgeBaseSchema, body);
      const id = await withOrgTransaction(database, orgId, async (em) =>
        createKnowledgeBase(em, orgId, fields, orgLimits),
      );
      return presentKnowledgeBase(await getKnowledgeBase(database, orgId, id));
    },
  }),
  defineRoute({
    ...manage,
    method: 'patch',
    path,
    operationId: 'updateKnowledgeBase',
    summary: 'Change a knowledge base; only the given fields change',
    body: knowledgeBaseChangesSchema,
    response: { status: 200, schema: knowledgeBaseSchema },
    handler: async ({ caller, params: { knowledge_base_id: id }, body }, { database }) => {
      const changes = toFields(knowledgeBaseChangesSchema, body);
      return presentKnowledgeBase(await updateKnowledgeBase(database, caller.orgId, id, changes));
    },
  }),
  defineRoute({
    ...manage,
    method: 'delete',
    path,
    operationId: 'deleteKnowledgeBase',
    summary: 'Delete a knowledge base permanently, with its documents and their passages',
    response: { status: 204 },
    handler: async ({ caller, params: { knowledge_base_id: id } }, { database }) => {
      await withOrgTransaction(database, caller.orgId, async (em) => deleteKnowledgeBase(em, caller.orgId, id));
    },
  }),
  ...documentRoutes,
  ...documentFileRoutes,
];

type EmbeddingStatus = z.input<typeof knowledgeBaseSchema>['embedding']['status'];

/** Returns a knowledge base as the API shows it. */
function presentKnowledgeBase(base: KnowledgeBase): z.input<typeof knowledgeBaseSchema> {
  const { modelInUse: model, dimensions, embeddedPassages: passages, embeddingTokens: tokens } = base;
  const { embeddingCost: cost, embeddingError: error } = base;
  const embedding = { status: statusOf(base), model, dimensions, passages, tokens, cost, error };
  return present(knowledgeBaseSchema, base, { embedding });
}

function statusOf({ embeddingModel, embeddingError, embeddedPassages, passages }: KnowledgeBase): EmbeddingStatus {
  if (embeddingModel === OFF) return 'off';
  if (embeddingError !== null) return 'waiting';
  return embeddedPassages < passages ? 'working' : 'ready';
}

const UNAVAILABLE = 'The vector of the query could not be made in time: try again, or see whether a worker runs';

const BUSY = 'Too many searches by meaning are under way: try again shortly';

class NoFreeSlot extends Error {
  override readonly name = 'NoFreeSlot';
}

/**
 * Each search occupies a slot of a worker while a provider answers. Without a free one, the search is by words alone.
 */
const slots = new KeyedSemaphore({ perKey: 4, total: 40, maxWaiting: 0, createError: () => new NoFreeSlot(BUSY) });

/** Finds the vectors of a query through a worker, which alone calls providers; a search waits ten seconds at most. */
export function findVectorsOf({ database, temporal, log }: ApiContext, orgId: string): FindVectors {
  const find: FindVectors = async (query, targets) => {
    const queryId = await createQuery(database, orgId, { query, targets });
    await runShort(temporal, 'embedQuery', { orgId, queryId }).catch((error: unknown) => {
      log.warn({ err: error }, 'a query could not be turned into vectors');
    });
    const vectors = await takeQuery(database, orgId, queryId);
    return vectors.length > 0 ? vectors : targets.map(({ model }) => ({ model, reason: UNAVAILABLE }));
  };
  return async (query, targets) => {
    try {
      return await slots.run(await database.payers.of(orgId), async () => find(query, targets));
    } catch (error) {
      if (!(error instanceof NoFreeSlot)) throw error;
      return targets.map(({ model }) => ({ model, reason: error.message }));
    }
  };
}
