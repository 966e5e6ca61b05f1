import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { passTime } from '../support/pass-time.ts';
import { say } from '../support/scripted-model/index.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

let instance: TestInstance;
let chat: OpenChat;
beforeAll(async () => {
  instance = await startTestInstance();
}, 120_000);
afterAll(async () => instance.close());
afterEach(() => {
  chat.close();
  instance.model.script(null);
});

/** Ends the worker as a crash does, and starts another. */
async function replaceWorker(): Promise<void> {
  await instance.workers.pop()?.kill();
  await instance.addWorker();
}

const isWaiting = async () => {
  const { json } = await chat.user.client.get<{ status: string }>(`/api/chats/${chat.id}`);
  return json.status === 'waiting' ? true : undefined;
};

describe('a turn that waits', () => {
  test('makes its call once when a person approves it after 40 days and two deployments', async () => {
    const agent = { tools: ['memory_manage'], requires_approval: { memory_manage: 'writes' } };
    chat = await OpenChat.create(instance, { agent });
    const call = { action: 'add', content: 'The release is in May' };
    const stream = await chat.post({
      content: `[[tool memory_manage ${JSON.stringify(call)}]] [[then]] [[say noted]]`,
    });
    await waitUntil('the call to wait', isWaiting);
    const { client } = chat.user;
    for (let days = 0; days < 40; days += 20) {
      await passTime(instance.api.database, '20 days');
      await replaceWorker();
    }
    const { json: pending } = await client.get<{ id: string }[]>('/api/approvals?status=pending');
    expect(pending).toHaveLength(1);
    const { json } = await client.post(`/api/approvals/${pending[0]?.id}/decision`, { approve: true });
    expect(json).toMatchObject({ status: 'approved' });
    expect((await stream.waitForEnd(20_000)).event).toBe('stream_end');
    expect((await chat.answers()).map(({ content }) => content)).toEqual(['noted']);
    const { rows } = await instance.api.database.system.query('select content from agent_memories');
    expect(rows).toEqual([{ content: call.content }]);
  }, 120_000);

  test('ends with one answer when its provider is out for 5 hours', async () => {
    chat = await OpenChat.create(instance);
    instance.model.script({ kind: 'status', status: 429, retryAfter: '3600' });
    const asked = instance.model.requests.length;
    const stream = await chat.post({ content: 'Anybody there?' });
    for (let hours = 1; hours <= 5; hours += 1) {
      await waitUntil('the provider to be asked', async () =>
        instance.model.requests.length === asked + hours ? isWaiting() : undefined,
      );
      if (hours === 5) instance.model.script(say('here again'));
      // The timer of the workflow keeps the real time; the sweeper comes half a minute after it.
      await passTime(instance.api.database, '61 minutes');
    }
    expect((await stream.waitForEnd(20_000)).event).toBe('stream_end');
    expect((await chat.answers()).map(({ content }) => content)).toEqual(['here again']);
    // Once an hour, and not more often.
    expect(instance.model.requests.length - asked).toBe(6);
  }, 120_000);
});
