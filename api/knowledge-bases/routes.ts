import { withOrgTransaction } from '../../db/core/index.ts';
import {
  createKnowledgeBase,
  deleteKnowledgeBase,
  getKnowledgeBase,
  listKnowledgeBases,
  searchedBy,
  searchPassages,
  updateKnowledgeBase,
} from '../../db/knowledge-bases/index.ts';
import { present, toFields } from '../../domain/core/record-names.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { idParams } from '../resources/id-fields.ts';
import { findVectorsOf } from './find-vectors.ts';
import { presentKnowledgeBase } from './present-knowledge-base.ts';
import {
  foundPassagesSchema,
  knowledgeBaseChangesSchema,
  knowledgeBaseSchema,
  newKnowledgeBaseSchema,
  passageQuery,
} from './schema.ts';

const view = { resource: 'knowledge_bases', access: 'knowledge_bases.view', tag: 'Knowledge bases' } as const;
const manage = { resource: 'knowledge_bases', access: 'knowledge_bases.manage', tag: 'Knowledge bases' } as const;
const params = idParams('knowledge_base_id');
const path = '/api/knowledge-bases/{knowledge_base_id}';

export const knowledgeBaseRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/knowledge-bases',
    operationId: 'listKnowledgeBases',
    summary: 'The knowledge bases of the organization',
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
    summary: 'One knowledge base',
    params,
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
      'Finds passages of the documents that are ready, with their sources, by words (in any language, whatever their case and accents) and, where passages have vectors, by meaning. When no provider account gives a vector for the query, passages are found by words alone, and `meaning` says why.',
    params,
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
    params,
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
    params,
    response: { status: 204 },
    handler: async ({ caller, params: { knowledge_base_id: id } }, { database }) => {
      await withOrgTransaction(database, caller.orgId, async (em) => deleteKnowledgeBase(em, caller.orgId, id));
    },
  }),
];
