import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createProvider } from '../support/factories.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

let instance: TestInstance;
let chat: OpenChat;
beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());
afterEach(() => chat.close());

const FIRST = { provider_type: 'openai-compatible' };
const SECOND = { provider_type: 'groq' };

/**
 * Opens a chat whose chain has these steps, with an account for each of both, and returns the ids of chain and second
 * account.
 */
async function open(steps: readonly { provider_type: string }[]): Promise<{ chainId: string; secondId: string }> {
  chat = await OpenChat.create(instance, { provider: { name: 'First', model_name: 'one' } });
  const { client } = chat.user;
  const fields = { ...SECOND, name: 'Second', model_name: 'two' };
  const secondId = await createProvider(client, instance.model.url, fields);
  const chain = await client.post<{ id: string }>('/api/providers/chains', { name: 'Chain', steps });
  await client.patch(`/api/chats/${chat.id}/provider-chain`, { provider_chain_id: chain.json.id });
  return { chainId: chain.json.id, secondId };
}

/** Sends a message that the first account is too busy for, for longer than a test takes. */
async function sendAndWait() {
  const stream = await chat.post({ content: '[[status 429 retry-after 3600]] [[only one]] patience' });
  await waitUntil('the chat to wait', async () => {
    const { json } = await chat.user.client.get<{ status: string }>(`/api/chats/${chat.id}`);
    return json.status === 'waiting' ? true : undefined;
  });
  return stream;
}

describe('a turn that waits for a provider', () => {
  test('goes on when an account of its chain is restored', async () => {
    const { secondId } = await open([FIRST, SECOND]);
    await chat.user.client.delete(`/api/providers/${secondId}`);
    const stream = await sendAndWait();
    expect((await chat.user.client.patch(`/api/providers/${secondId}/restore`)).status).toBe(200);
    expect((await stream.waitForEnd()).event).toBe('stream_end');
    expect((await chat.answers())[0]).toMatchObject({ content: 'You said: patience', provider_used: 'Second' });
  });

  test('goes on when its chain gains a step', async () => {
    const { chainId } = await open([FIRST]);
    const stream = await sendAndWait();
    const { status } = await chat.user.client.patch(`/api/providers/chains/${chainId}`, { steps: [FIRST, SECOND] });
    expect(status).toBe(200);
    expect((await stream.waitForEnd()).event).toBe('stream_end');
    expect((await chat.answers())[0]).toMatchObject({ content: 'You said: patience', provider_used: 'Second' });
  });
});
