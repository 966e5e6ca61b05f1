import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { conversationId } from '../../../workflows/turns/contract.ts';
import type { HostServer } from '../../support/code-hosts/index.ts';
import { createAgent, createChat, createProvider, registerUser, type TestUser } from '../../support/factories.ts';
import type { EmbeddingServer } from '../../support/embedding-server.ts';
import type { OutsideServer } from '../../support/outside-server.ts';
import { SocketClient } from '../../support/socket-client.ts';
import type { TestInstance } from '../../support/test-instance.ts';
import { waitUntil } from '../../support/wait-until.ts';

export interface Recording {
  readonly name: string;
  readonly workflowId: string;
  readonly runId?: string | undefined;
}

/** What recordings are made with: an installation, and servers of the outside world. */
export interface Recorder {
  readonly instance: TestInstance;
  readonly client: Client;
  readonly host: HostServer;
  readonly receiver: OutsideServer;
  readonly embeddings: EmbeddingServer;
}

export interface Talk {
  readonly instance: TestInstance;
  readonly socket: SocketClient;
  readonly workflowId: string;
}

export async function startTalk(
  instance: TestInstance,
): Promise<Talk & { readonly user: TestUser; interrupt(): Promise<void> }> {
  const user = await registerUser(instance.api.url);
  await createProvider(user.client, instance.model.url, { cooldown_seconds: 1 });
  const agent = { tools: ['http_request', 'math_evaluate', 'agent_spawn'], max_concurrency: 2 };
  for (const name of ['Scout', 'Guide']) await createAgent(user.client, { ...agent, name });
  const chatId = await createChat(user.client, await createAgent(user.client, agent));
  const socket = await SocketClient.connect(instance.api.url, chatId, user.accessToken);
  const interrupt = async () => void (await user.client.post(`/api/chats/${chatId}/interrupt`));
  return { instance, socket, user, interrupt, workflowId: conversationId({ orgId: user.orgId, chatId }) };
}

export function say({ socket }: Talk, content: string): void {
  socket.send({ type: 'message', content, client_message_id: randomUUID() });
}

export function numbered(name: string, workflowIds: readonly string[]): Recording[] {
  return workflowIds.map((workflowId, index) => ({ name: `${name}-${index + 1}`, workflowId }));
}

export async function workflowOf(client: Client, type: string): Promise<string> {
  return waitUntil(`a workflow ${type}`, async () => {
    for await (const { workflowId, status } of client.workflow.list({ query: `WorkflowType = '${type}'` }))
      if (status.name !== 'RUNNING') return workflowId;
    return undefined;
  });
}

/** Waits until a workflow has asked its row once. */
export async function untilAsked(handle: WorkflowHandle): Promise<void> {
  await waitUntil('the workflow to ask its row', async () => {
    const { events } = await handle.fetchHistory().catch(() => ({ events: [] }));
    return events?.some(({ markerRecordedEventAttributes: asked }) => asked != null) || undefined;
  });
}

export async function decideNext({ client }: TestUser, approve: boolean): Promise<void> {
  const id = await waitUntil('something to wait for a decision', async () => {
    const { json } = await client.get<readonly { id: string }[]>('/api/approvals?status=pending');
    return json[0]?.id;
  });
  await client.post(`/api/approvals/${id}/decision`, { approve });
}
