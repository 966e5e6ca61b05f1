import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { OpenChat } from './open-chat.ts';

let instance: TestInstance;
let chat: OpenChat;
beforeAll(async () => {
  instance = await startTestInstance();
}, 120_000);
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
