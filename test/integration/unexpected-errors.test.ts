import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { FAULTY } from '../../activities/turns/calls/blocked-reason.ts';
import { withClient } from '../support/database-owner.ts';
import { EmbeddingServer } from '../support/embedding-server.ts';
import { createProvider, registerUser } from '../support/factories.ts';
import { longTest } from '../support/in-length.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

let instance: TestInstance;
let embeddings: EmbeddingServer;
let chat: OpenChat | undefined;
/** The length of the log when the test began. */
let logged = 0;
beforeAll(async () => {
  embeddings = await EmbeddingServer.start();
  instance = await startTestInstance();
});
afterAll(async () => {
  await instance.close();
  embeddings.close();
});
beforeEach(() => {
  logged = logOfWorker().length;
});
afterEach(async () => {
  chat?.close();
  await takeAgain();
});

/** Has the database refuse rows that hold a word, each time, as it would refuse a value that is too long. */
async function refuse(table: string, when: string): Promise<void> {
  await withClient(instance.databaseUrl, async (client) => {
    await client.query(`create or replace function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'value too long' using errcode = '22001'; end $$`);
    await client.query(`create trigger refuse_${table} before insert or update on ${table} for each row
      when (${when}) execute function refuse()`);
  });
}

/** Has the database take all rows again. */
async function takeAgain(): Promise<void> {
  await withClient(instance.databaseUrl, async (client) => {
    await client.query('drop function if exists refuse() cascade');
    await client.query('drop policy if exists unreadable on agent_memories');
  });
}

const logOfWorker = () => instance.workers[0]?.log() ?? '';

// The log comes by a pipe, after what the api says.
async function logHas(words: string): Promise<void> {
  await waitUntil(`the log to have: ${words}`, () => logOfWorker().slice(logged).includes(words) || undefined);
}

/** Sends a message, for which some attempts may count as having failed before, so that fewer pauses are waited for. */
async function send(to: OpenChat, content: string, faults = 0) {
  const stream = await to.post({ content });
  if (faults > 0)
    await instance.api.database.system.query('update turns set faults = faults + $2 where chat_id = $1', [
      to.id,
      faults,
    ]);
  const { event } = await stream.waitForEnd();
  const answer = (await to.answers()).at(-1);
  return { event, answer, status: answer?.metadata_['status'] };
}

describe('an unexpected error of a turn that comes again with each attempt', () => {
  test('ends the turn with words when a step cannot be stored, and the log has it', async () => {
    chat = await OpenChat.create(instance, { agent: { tools: ['time_now'] } });
    await refuse('model_steps', `new.text like '%unstorable step%'`);
    const { event, answer, status } = await send(chat, '[[say unstorable step]] [[tool time_now {}]]');
    expect([event, status, answer?.metadata_['error']]).toEqual(['error', 'failed', FAULTY]);
    await logHas('value too long');
    expect((await send(chat, 'hello')).answer?.content).toBe('You said: hello');
  });

  longTest('ends the turn when what it is given cannot be read', async () => {
    chat = await OpenChat.create(instance);
    const { system } = instance.api.database;
    const values = [chat.user.orgId];
    await system.query(
      `update agents set requires_approval = 'null', tools = '{"not": "a list"}' where org_id = $1`,
      values,
    );
    expect(await send(chat, 'hello', 4)).toMatchObject({ event: 'error', status: 'failed' });
    await system.query(`update agents set requires_approval = '{}', tools = '[]' where org_id = $1`, values);
    expect((await send(chat, 'hello')).answer?.content).toBe('You said: hello');
  });

  test('ends the turn when a row that belongs to it makes its claim fail', async () => {
    chat = await OpenChat.create(instance);
    const { orgId } = chat.user;
    const { system } = instance.api.database;
    const { rows } = await system.query<{ id: string }>('select id from agents where org_id = $1', [orgId]);
    const path = `/api/agents/${rows[0]?.id ?? ''}/memories`;
    expect((await chat.user.client.post(path, { content: 'an unreadable memory' })).status).toBe(201);
    await withClient(instance.databaseUrl, async (client) =>
      client.query(`create policy unreadable on agent_memories as restrictive using (
        case when content like '%unreadable%' then 1 / (length(content) - length(content)) = 1 else true end)`),
    );
    const { event, answer, status } = await send(chat, 'hello', 4);
    expect([event, answer?.content, status]).toEqual(['error', FAULTY, 'failed']);
    await takeAgain();
    expect((await send(chat, 'hello')).answer?.content).toBe('You said: hello');
  });

  longTest('ends the turn with the least that it needs when its end cannot be stored as usual', async () => {
    chat = await OpenChat.create(instance);
    await refuse('messages', `new.role = 'assistant' and new.metadata ? 'usage_estimated'`);
    const { answer, status } = await send(chat, 'hello', 4);
    expect([status, answer?.content]).toEqual(['failed', FAULTY]);
  });

  test('is told to the model when the result of a call cannot be stored, and the turn goes on', async () => {
    chat = await OpenChat.create(instance, { agent: { tools: ['json_query'] } });
    await refuse('tool_calls', `new.result like '%unstorable result%'`);
    const call = JSON.stringify({ data: {}, expression: `'unstorable ' & 'result'` });
    const { answer, status } = await send(chat, `[[tool json_query ${call}]] [[then]] [[say heard]]`);
    expect([status, answer?.content]).toEqual(['completed', 'heard']);
    expect(answer?.metadata_['tool_calls_detail']).toMatchObject([
      { status: 'error', result: expect.stringContaining('It has changed nothing') },
    ]);
  });
});

describe('an unexpected error of a knowledge base that comes again with each attempt', () => {
  interface Base {
    readonly id: string;
    readonly embedding: { readonly status: string; readonly error: string | null };
  }

  test('is shown at the base whose vectors cannot be stored, and is not met without a pause', async () => {
    await refuse('knowledge_vectors', 'true');
    const { client } = await registerUser(instance.api.url);
    await createProvider(client, embeddings.url);
    const fields = { name: 'Handbook', embedding_model: 'openai-compatible/small' };
    const { id } = (await client.post<Base>('/api/knowledge-bases', fields)).json;
    await client.post(`/api/knowledge-bases/${id}/documents`, { text: 'Tea is at four.' });
    const { embedding } = await waitUntil('the base to say so', async () => {
      const { json } = await client.get<Base>(`/api/knowledge-bases/${id}`);
      return json.embedding.error === null ? undefined : json;
    });
    expect(embedding.error).toContain('internal error');
    await logHas('an activity is given up');
  });

  test('is shown at the document that cannot be stored', async () => {
    await refuse('knowledge_passages', 'true');
    const { client } = await registerUser(instance.api.url);
    const base = await client.post<Base>('/api/knowledge-bases', { name: 'Handbook' });
    const path = `/api/knowledge-bases/${base.json.id}/documents`;
    const { json: added } = await client.post<{ id: string }>(path, { text: 'Tea is at four.' });
    // As if it had been begun before.
    await instance.api.database.system.query('update knowledge_documents set tries = tries + 4 where id = $1', [
      added.id,
    ]);
    const ended = await waitUntil('the document to be given up', async () => {
      const { json } = await client.get<{ status: string; error: string }>(`${path}/${added.id}`);
      return json.status === 'failed' ? json : undefined;
    });
    expect(ended.error).toContain('never ended');
  });
});
