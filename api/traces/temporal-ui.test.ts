import { beforeEach, expect, test } from '@jest/globals';
import { acceptMessage } from '../../db/turns/accept-message.ts';
import { createAgent, createChat, registerUser, type TestUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

const served = serveTestApi();
const withUi = serveTestApi({ temporalUiUrl: 'https://temporal.example.com/ui/' });
const UI = 'https://temporal.example.com/ui/namespaces/default/workflows/';

interface Linked {
  readonly id: string;
  readonly temporal_url: string | null;
}

/** Makes a chat with a turn. Returns what the api answers about the turn. */
async function traceOf(api: typeof served, user: TestUser) {
  const chatId = await createChat(user.client, await createAgent(user.client));
  const message = { chatId, content: 'hello', clientMessageId: undefined };
  const { turnId } = await acceptMessage(api.api.database, { orgId: user.orgId, userId: user.id }, message);
  const path = `/api/chats/${chatId}/turns/${turnId}`;
  return { chatId, turnId, read: async () => (await user.client.get<Linked>(path)).json.temporal_url };
}

let user: TestUser;
beforeEach(async () => {
  user = await registerUser(withUi.url);
});

test('a trace leads to the workflow of its chat, and that of a sub-agent to its own', async () => {
  const { chatId, turnId, read } = await traceOf(withUi, user);
  expect(await read()).toBe(`${UI}${encodeURIComponent(`chat/${user.orgId}/${chatId}`)}`);
  const parent = await traceOf(withUi, user);
  const { system } = withUi.api.database;
  await system.query('update turns set parent_turn_id = $2 where id = $1', [turnId, parent.turnId]);
  expect(await read()).toBe(`${UI}${encodeURIComponent(`sub-agent/${user.orgId}/${chatId}`)}`);
});

test('a run leads to its workflow', async () => {
  const fields = { agent_id: await createAgent(user.client), name: 'Report', prompt_template: 'Write it.' };
  const { json: workflow } = await user.client.post<{ id: string }>('/api/workflows', fields);
  await user.client.post(`/api/workflows/${workflow.id}/trigger`, {});
  const { json: runs } = await user.client.get<Linked[]>('/api/runs');
  expect(runs.map(({ temporal_url: url }) => url)).toEqual([
    `${UI}${encodeURIComponent(`run/${user.orgId}/${runs[0]?.id}`)}`,
  ]);
});

test('nothing leads there unless the operator has said where it is', async () => {
  const stranger = await registerUser(served.url);
  const { read } = await traceOf(served, stranger);
  expect(await read()).toBeNull();
});
