import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { generateText, streamText } from 'ai';
import { createAgent, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';

// A client of OpenAI's protocol that has nothing in common with OpenAI's own.

let instance: TestInstance;
beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());

let user: TestUser;
let agents: ReturnType<typeof createOpenAICompatible>;
beforeEach(async () => {
  user = await registerUser(instance.api.url);
  await createProvider(user.client, instance.model.url);
  await createAgent(user.client, { name: 'Helper' });
  const { json: key } = await user.client.post<{ key: string }>('/api/users/me/api-keys', { name: 'k' });
  agents = createOpenAICompatible({
    name: 'everturn',
    baseURL: `${instance.api.url}/v1`,
    apiKey: key.key,
    includeUsage: true,
  });
});

const chats = async () => (await user.client.get<object[]>('/api/chats')).json;

describe('the AI SDK', () => {
  test('gets an answer in one piece, with what was used, and goes on with the conversation in its chat', async () => {
    const first = await generateText({ model: agents('Helper'), prompt: '[[say first]]' });
    expect([first.text, first.finishReason]).toEqual(['first', 'stop']);
    expect(first.usage.totalTokens).toBeGreaterThan(0);
    const second = await generateText({
      model: agents('Helper'),
      messages: [
        { role: 'user', content: '[[say first]]' },
        { role: 'assistant', content: first.text },
        { role: 'user', content: '[[say second]]' },
      ],
    });
    expect(second.text).toBe('second');
    expect(await chats()).toHaveLength(1);
  });

  test('gets an answer in parts, which together are the whole, and then what was used', async () => {
    const result = streamText({ model: agents('Helper'), prompt: '[[hold parts after 2 chunks]] w1 w2 w3 w4' });
    const parts: string[] = [];
    for await (const part of result.textStream) {
      parts.push(part);
      instance.model.release('parts');
    }
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.join('')).toBe(await result.text);
    expect((await result.usage).totalTokens).toBeGreaterThan(0);
  });

  test('is told why there is no answer, and does not try again', async () => {
    const asked = generateText({ model: agents('Helper'), prompt: '[[status 400]]', maxRetries: 0 });
    await expect(asked).rejects.toMatchObject({ statusCode: 502, message: expect.stringMatching(/\w/) });
    const unknown = generateText({ model: agents('Nobody'), prompt: 'Hello' });
    await expect(unknown).rejects.toMatchObject({ statusCode: 404, message: 'Model not found' });
    expect(await chats()).toHaveLength(1);
  });
});
