import type { Client } from '@temporalio/client';
import { addIndexes } from '../../../db/marketplace/marketplace-indexes.ts';
import { WORKFLOWS_OF_WORK } from '../../../workflows/due-work/contract.ts';
import { createChat, createProvider, uploadFile } from '../../support/factories.ts';
import type { EmbeddingServer } from '../../support/embedding-server.ts';
import type { TestInstance } from '../../support/test-instance.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type Recorder, type Recording, startTalk } from './recorder.ts';

/** The extraction of the text of a file. */
async function extractText(instance: TestInstance): Promise<string> {
  const { user } = await startTalk(instance);
  const fileId = await uploadFile(user.client, await createChat(user.client));
  return WORKFLOWS_OF_WORK['file-text'].idOf({ orgId: user.orgId, fileId });
}

/** The reading of a document of a knowledge base. */
async function readDocument(instance: TestInstance): Promise<string> {
  const { user } = await startTalk(instance);
  const base = await user.client.post<{ id: string }>('/api/knowledge-bases', { name: 'Read' });
  const path = `/api/knowledge-bases/${base.json.id}/documents`;
  const { json } = await user.client.post<{ id: string }>(path, { text: 'Tea is at four.' });
  return WORKFLOWS_OF_WORK.document.idOf({ orgId: user.orgId, knowledgeBaseId: base.json.id, documentId: json.id });
}

/** The vectors of a knowledge base, which wait for an account that makes them until they are not wanted any more. */
async function embedKnowledgeBase(instance: TestInstance): Promise<string> {
  const { user } = await startTalk(instance);
  const { json } = await user.client.post<{ id: string }>('/api/knowledge-bases', { name: 'Embedded' });
  const path = `/api/knowledge-bases/${json.id}`;
  await user.client.post(`${path}/documents`, { text: 'Tea is at four.' });
  await waitUntil('the vectors to wait', async () => {
    const base = await user.client.get<{ embedding: { status: string } }>(path);
    return base.json.embedding.status === 'waiting' || undefined;
  });
  await user.client.patch(path, { embedding_model: 'off' });
  return WORKFLOWS_OF_WORK.embedding.idOf({ orgId: user.orgId, knowledgeBaseId: json.id });
}

/** The search of a knowledge base by meaning. */
async function embedQuery(instance: TestInstance, client: Client, embeddings: EmbeddingServer): Promise<string> {
  const { user } = await startTalk(instance);
  await createProvider(user.client, embeddings.url);
  const fields = { name: 'Searched', embedding_model: 'openai-compatible/small' };
  const { json } = await user.client.post<{ id: string }>('/api/knowledge-bases', fields);
  const path = `/api/knowledge-bases/${json.id}`;
  await user.client.post(`${path}/documents`, { text: 'Tea is at four.' });
  await waitUntil('a passage to have a vector', async () => {
    const base = await user.client.get<{ embedding: { passages: number } }>(path);
    return base.json.embedding.passages > 0 || undefined;
  });
  await user.client.get(`${path}/search?q=tea`);
  for await (const { workflowId } of client.workflow.list({ query: "WorkflowType = 'embedQuery'" })) return workflowId;
  throw new Error('nothing was searched for');
}

/** The refresh of an index of the marketplace that is not there. */
async function refreshIndex(instance: TestInstance): Promise<string> {
  const { database } = instance.api;
  const source = 'https://items.example.invalid/index.json';
  await addIndexes(database, [source]);
  const { rows } = await database.system.query<{ indexId: string }>(
    'select id as "indexId" from marketplace_indexes where source = $1',
    [source],
  );
  const indexId = rows[0]?.indexId ?? '';
  await database.follow([{ dueWork: [{ kind: 'marketplace-index', indexId }] }]);
  return WORKFLOWS_OF_WORK['marketplace-index'].idOf({ indexId });
}

export async function recordKnowledge({ instance, client, embeddings }: Recorder): Promise<Recording[]> {
  return [
    { name: 'extract-text', workflowId: await extractText(instance) },
    { name: 'read-document', workflowId: await readDocument(instance) },
    { name: 'embed-knowledge-base', workflowId: await embedKnowledgeBase(instance) },
    { name: 'embed-query', workflowId: await embedQuery(instance, client, embeddings) },
    { name: 'refresh-marketplace-index', workflowId: await refreshIndex(instance) },
  ];
}
