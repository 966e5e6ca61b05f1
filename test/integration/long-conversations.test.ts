import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { OpenChat } from './open-chat.ts';

let instance: TestInstance;
let chat: OpenChat;
beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());
afterEach(() => chat.close());

const LONG = 'a word '.repeat(2_000);

async function send(content: string) {
  const stream = await chat.post({ content });
  await stream.waitForEnd();
  return (await chat.answers()).at(-1);
}

/** Returns the questions that each request with this text held, in their order. */
function questionsOf(text: string): string[][] {
  const contents = instance.model.requests.map(({ messages }) =>
    messages.flatMap(({ role, content }) => (role === 'user' && typeof content === 'string' ? content : [])),
  );
  return contents.filter((questions) => questions.at(-1)?.includes(text) === true);
}

test('a conversation that is too long for the model is sent again without its oldest part, and shorter from then on', async () => {
  chat = await OpenChat.create(instance);
  for (const name of ['first', 'second', 'third', 'fourth']) await send(`[[say ok]] ${name} ${LONG}`);
  expect(await send('[[status 400]] [[times 1]] newest')).toMatchObject({ metadata_: { status: 'completed' } });
  const [whole = [], shorter = [], ...others] = questionsOf('newest');
  expect(others).toEqual([]);
  expect(whole.join()).toContain('first');
  expect(shorter.join()).not.toContain('first');
  expect(shorter.join()).toContain('fourth');
  await send('[[say ok]] afterwards');
  const [afterwards = [], ...again] = questionsOf('afterwards');
  expect([again, afterwards.join().includes('first')]).toEqual([[], false]);
});

test('a conversation that is still too long without its oldest part fails and says so', async () => {
  chat = await OpenChat.create(instance);
  await send(`[[say ok]] before ${LONG}`);
  expect(await send('[[status 400]] hopeless')).toMatchObject({
    metadata_: { status: 'failed', error: expect.stringContaining('it is too long for the model') },
  });
  expect(questionsOf('hopeless')).toHaveLength(2);
});

/** A model whose context window is known. */
const KNOWN_MODEL = 'sonar';

test.each([
  [KNOWN_MODEL, 128_000],
  ['scripted-1', null],
])('an answer of %s says what the last call took of its context window', async (model_pref, window) => {
  chat = await OpenChat.create(instance, { agent: { tools: ['time_now'], model_pref } });
  expect(await send('[[usage 900 50]] [[call time_now {}]] [[then]] [[say ok]] [[usage 1000 7]]')).toMatchObject({
    metadata_: { tool_call_count: 1, context_tokens: 1007, context_window: window, duration_ms: expect.any(Number) },
  });
  expect(await send('[[status 500]]')).toMatchObject({
    metadata_: { status: 'failed', context_tokens: null, context_window: window },
  });
});

test('an answer of a model that accepted less than its known window says the smaller one', async () => {
  chat = await OpenChat.create(instance, { agent: { model_pref: KNOWN_MODEL } });
  for (const name of ['first', 'second', 'third']) await send(`[[say ok]] ${name} ${LONG}`);
  const answer = await send('[[status 400]] [[times 1]] newest of a smaller window');
  expect(answer?.metadata_).toMatchObject({ status: 'completed', context_window: expect.any(Number) });
  expect(answer?.metadata_['context_window']).toBeLessThan(64_000);
});
