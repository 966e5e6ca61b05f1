import { useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { type Pages, useAnswer, useAnswerPages, useRecordActions } from '../core/http/use-answer.ts';
import { answerOf } from '../core/http/api-client.ts';
import { problemOfBody } from '../core/http/problem.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';

type Schemas = components['schemas'];
export type KnowledgeBase = Schemas['KnowledgeBase'];
export type KnowledgeDocument = Schemas['KnowledgeDocument'];
export type NewDocument = Schemas['KnowledgeDocumentCreate'];
export type FoundPassage = Schemas['FoundPassage'];
export type FoundPassages = Schemas['FoundPassages'];

/** How often what is at work is looked at, in milliseconds. */
const AT_WORK_MS = 2_000;

/** Returns the knowledge bases of the organization, oldest first. */
export function useKnowledgeBases(): Pages<KnowledgeBase> {
  return useAnswerPages(['knowledge-bases', 'list'], '/api/knowledge-bases');
}

/** Returns a knowledge base; often while its passages are given to a model. */
export function useKnowledgeBase(id: string): UseQueryResult<KnowledgeBase> {
  return useAnswer(['knowledge-bases', 'one', id], '/api/knowledge-bases/{knowledge_base_id}', {
    params: at(id),
    refetchInterval: ({ state: { data } }) => data?.embedding.status === 'working' && AT_WORK_MS,
  });
}

/** Returns the documents of a knowledge base, oldest first; often while one of them is read. */
export function useDocuments(id: string): Pages<KnowledgeDocument> {
  return useAnswerPages(['knowledge-bases', 'documents', id], '/api/knowledge-bases/{knowledge_base_id}/documents', {
    params: at(id),
    refetchInterval: (documents) =>
      documents.some(({ status }) => status === 'pending' || status === 'processing') && AT_WORK_MS,
  });
}

/** Returns the passages that answer a question best. It is asked once: a search by meaning may cost something. */
export function useFoundPassages(id: string, question: string): UseQueryResult<FoundPassages> {
  const params = { ...at(id), query: { q: question } };
  // Of a capability of its own: what changes in the base does not ask again.
  return useAnswer(['knowledge-search', id, question], '/api/knowledge-bases/{knowledge_base_id}/search', {
    params,
    refetchOnWindowFocus: false,
  });
}

/** Returns what adds, changes and deletes knowledge bases, and reads them again. */
export function useKnowledgeActions() {
  return useRecordActions('knowledge-bases', '/api/knowledge-bases', '/api/knowledge-bases/{knowledge_base_id}');
}

/** Returns what adds documents to a knowledge base, reads the files of some and deletes them, and reads both again. */
export function useDocumentActions(id: string) {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  const refresh = async () => cache.invalidateQueries({ queryKey: [orgId, 'knowledge-bases'] });
  const documentAt = (documentId: string) => ({ path: { knowledge_base_id: id, document_id: documentId } });
  return {
    refresh,
    add: async (body: NewDocument) => {
      const params = at(id);
      const added = await answerOf(api.POST('/api/knowledge-bases/{knowledge_base_id}/documents', { params, body }));
      await refresh();
      return added;
    },
    readFile: async (documentId: string): Promise<Blob> => {
      const options = { params: documentAt(documentId), parseAs: 'blob' } as const;
      const path = '/api/knowledge-bases/{knowledge_base_id}/documents/{document_id}/content';
      const { data, error, response } = await api.GET(path, options);
      if (data === undefined) throw problemOfBody(response, error);
      return data;
    },
    remove: async (documentId: string) => {
      const params = documentAt(documentId);
      await answerOf(api.DELETE('/api/knowledge-bases/{knowledge_base_id}/documents/{document_id}', { params }));
      await refresh();
    },
  };
}

function at(id: string) {
  return { path: { knowledge_base_id: id } };
}
