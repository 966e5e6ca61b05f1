import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createAgent, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { join } from '../support/invitations.ts';
import { connectMcpClient, type ConnectedClient, MCP_CLIENTS, type McpClientKind } from '../support/mcp/mcp-clients.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import type { ShownMessage } from './open-chat.ts';

let instance: TestInstance;
beforeAll(async () => {
  instance = await startTestInstance();
}, 120_000);
afterAll(async () => instance.close(), 60_000);

let user: TestUser;
let key: { readonly id: string; readonly key: string };
let clients: ConnectedClient[];
beforeEach(async () => {
  clients = [];
  user = await registerUser(instance.api.url);
  await createProvider(user.client, instance.model.url);
  await createAgent(user.client, { name: 'Helper', description: 'Helps.' });
  key = (await user.client.post<{ id: string; key: string }>('/api/users/me/api-keys', { name: 'k' })).json;
});
afterEach(async () => {
  await Promise.all(clients.map(async (client) => client.close()));
});

async function connect(kind?: McpClientKind, token = key.key, url = instance.api.url) {
  const client = await connectMcpClient(url, token, kind);
  clients.push(client);
  return client;
}

const chats = async () => (await user.client.get<{ id: string }[]>('/api/chats')).json;
const messagesOf = async (id: string) => (await user.client.get<ShownMessage[]>(`/api/chats/${id}/messages`)).json;
const place = ({ data }: { data: Readonly<Record<string, unknown>> }) => ({
  chat_id: String(data['chat_id']),
  turn_id: String(data['turn_id']),
});
const ended = async () => {
  const [chat] = await chats();
  return waitUntil('the turn to end', async () => (await messagesOf(chat?.id ?? ''))[1]);
};

describe.each(MCP_CLIENTS)('the official client, %s', (kind) => {
  test('is offered the tools, and asks an agent, twice in one conversation', async () => {
    const client = await connect(kind);
    expect(client.version).toMatch(kind === '2026' ? /^2026-/ : /^2025-/);
    expect(await client.tools()).toEqual([
      'list_agents',
      'ask_agent',
      'get_turn',
      'interrupt_turn',
      'list_workflows',
      'start_workflow',
      'get_workflow_run',
    ]);
    expect((await client.call('list_agents')).data).toEqual({
      agents: [{ id: expect.any(String), name: 'Helper', description: 'Helps.' }],
    });
    const first = await client.call('ask_agent', { agent: 'Helper', message: '[[say first]]' });
    expect(first).toMatchObject({ isError: false, text: 'first', data: { status: 'completed', answer: 'first' } });
    const { chat_id } = place(first);
    const second = await client.call('ask_agent', { chat_id, message: '[[say second]]' });
    expect([second.text, place(second).chat_id]).toEqual(['second', chat_id]);
    expect((await messagesOf(chat_id)).map(({ content }) => content)).toEqual([
      '[[say first]]',
      'first',
      '[[say second]]',
      'second',
    ]);
    expect((await client.call('get_turn', place(first))).data).toEqual(first.data);
  });

  test('is told how far the agent is, and what it has answered', async () => {
    const client = await connect(kind);
    const notes: (string | undefined)[] = [];
    const message = `[[hold told-${kind} after 2 chunks]] w1 w2 w3 w4`;
    const answer = client.call(
      'ask_agent',
      { agent: 'Helper', message },
      { onprogress: (note) => notes.push(note.message) },
    );
    await waitUntil('a note of progress', async () => notes.length > 0);
    instance.model.release(`told-${kind}`);
    expect((await answer).text).toContain('w4');
    expect(notes.join(' ')).toMatch(/\w/);
  });

  test('cancels a call, which interrupts the turn', async () => {
    const client = await connect(kind);
    const cancel = new AbortController();
    const message = `[[hold cancelled-${kind} after 2 chunks]] w1 w2 w3 w4`;
    const args = { agent: 'Helper', message };
    const options = { signal: cancel.signal, onprogress: () => cancel.abort() };
    await expect(client.call('ask_agent', args, options)).rejects.toThrow();
    expect((await ended()).metadata_['status']).toBe('interrupted');
  });
});
