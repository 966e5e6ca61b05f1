import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type OwnInstance, startOwnInstance } from '../support/test-instance.ts';
import { OpenChat } from './open-chat.ts';

let instance: OwnInstance;
beforeAll(async () => {
  instance = await startOwnInstance({ worker: { SANDBOX: 'off' } });
});
afterAll(async () => instance.close());

test('a shell command of an agent is refused in words where nothing confines it', async () => {
  const agent = { tools: ['shell_run'], requires_approval: { shell_run: 'never' } };
  const chat = await OpenChat.create(instance, { agent });
  const call = JSON.stringify({ command: 'echo ran > ran' });
  await (await chat.post({ content: `[[tool shell_run ${call}]] [[then]] [[say heard]]` })).waitForEnd();
  const [answer] = await chat.answers();
  expect(answer?.metadata_['tool_calls_detail']).toMatchObject([
    { status: 'error', result: expect.stringContaining('the operator has turned it off') },
  ]);
  chat.close();
});
