import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { FAULTY } from '../../activities/turns/calls/blocked-reason.ts';
import { withClient } from '../support/database-owner.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { OpenChat } from './open-chat.ts';

let instance: TestInstance;
let chat: OpenChat;
beforeAll(async () => {
  instance = await startTestInstance();
}, 120_000);
afterAll(async () => instance.close());
afterEach(() => chat.close());

/** Has the database refuse rows that hold a word, each time, as it would refuse a value that is too long. */
async function refuse(table: string, when: string): Promise<void> {
  await withClient(instance.databaseUrl, async (client) => {
    await client.query(`create or replace function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'value too long' using errcode = '22001'; end $$`);
    await client.query(`create trigger refuse_${table} before insert or update on ${table} for each row
      when (${when}) execute function refuse()`);
  });
}

async function send(content: string) {
  const stream = await chat.post({ content });
  const { event } = await stream.waitForEnd();
  const answer = (await chat.answers()).at(-1);
  return { event, answer, status: answer?.metadata_['status'] };
}

describe('an unexpected error that comes again with each attempt', () => {
  test('ends the turn with words when a step cannot be stored, and the log has it', async () => {
    chat = await OpenChat.create(instance, { agent: { tools: ['time_now'] } });
    await refuse('model_steps', `new.text like '%unstorable step%'`);
    const { event, answer, status } = await send('[[say unstorable step]] [[tool time_now {}]]');
    expect([event, status, answer?.metadata_['error']]).toEqual(['error', 'failed', FAULTY]);
    expect(instance.workers[0]?.log()).toContain('value too long');
    expect((await send('hello')).answer?.content).toBe('You said: hello');
  });

  test('ends the turn when what it is given cannot be read', async () => {
    chat = await OpenChat.create(instance);
    const { system } = instance.api.database;
    const values = [chat.user.orgId];
    await system.query(`update agents set requires_approval = 'null', tools = '{"not": "a list"}' where org_id = $1`, values);
    expect(await send('hello')).toMatchObject({ event: 'error', status: 'failed' });
    await system.query(`update agents set requires_approval = '{}', tools = '[]' where org_id = $1`, values);
    expect((await send('hello')).answer?.content).toBe('You said: hello');
  });

  test('ends the turn with the least that it needs when its end cannot be stored as usual', async () => {
    chat = await OpenChat.create(instance);
    await refuse('messages', `new.role = 'assistant' and new.metadata ? 'usage_estimated'`);
    const { answer, status } = await send('hello');
    expect([status, answer?.content]).toEqual(['failed', FAULTY]);
    await withClient(instance.databaseUrl, async (client) => client.query('drop trigger refuse_messages on messages'));
  });

  test('is told to the model when the result of a call cannot be stored, and the turn goes on', async () => {
    chat = await OpenChat.create(instance, { agent: { tools: ['json_query'] } });
    await refuse('tool_calls', `new.result like '%unstorable result%'`);
    const call = JSON.stringify({ data: {}, expression: `'unstorable ' & 'result'` });
    const { answer, status } = await send(`[[tool json_query ${call}]] [[then]] [[say heard]]`);
    expect([status, answer?.content]).toEqual(['completed', 'heard']);
    expect(answer?.metadata_['tool_calls_detail']).toMatchObject([
      { status: 'error', result: expect.stringContaining('It has changed nothing') },
    ]);
  });
});
