import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { startScriptedModel, type ScriptedModel } from '../../test/support/scripted-model/index.ts';
import { sharedPostgres, withDatabase } from '../../test/support/shared-services.ts';
import { Undo } from '../../test/support/undo.ts';
import { ChatClient } from '../drivers/chat-client.ts';
import { NewChatClient } from '../drivers/new-chat-client.ts';
import { PROGRAMS, runProgram } from './start-peer.ts';

const undo = new Undo();
let model: ScriptedModel;
let database: pg.Client;
let url: string;

beforeAll(async () => {
  model = await startScriptedModel();
  undo.add(async () => model.close());
  const { ownerUrl } = await sharedPostgres();
  const owner = await connect(ownerUrl);
  // Without the tables of the platform, which the template has.
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await owner.query(`create database ${name} template template0`);
  undo.add(async () => owner.query(`drop database ${name}`).then(() => undefined));
  const databaseUrl = withDatabase(ownerUrl, name);
  database = await connect(databaseUrl);
  ({ url } = await runProgram({ file: join(PROGRAMS, 'floor.mjs'), databaseUrl, modelUrl: model.url }, undo));
});

afterAll(async () => undo.all());

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  undo.add(async () => client.end());
  return client;
}

async function storedMessages(chatId: string): Promise<unknown[]> {
  const { rows } = await database.query('select role, content from messages where chat_id = $1 order by id', [chatId]);
  return rows;
}

describe('the smallest program beside which the product is measured', () => {
  test('stores the message and the answer of a new chat, as the drivers of the product ask for it', async () => {
    const { newChat } = await new NewChatClient(url, 1).runTurn(
      { key: '', orgId: '', agentId: '' },
      '[[say It is noon.]]',
    );
    expect(await storedMessages(newChat?.workflowId.split('/').at(-1) ?? '')).toEqual([
      { role: 'user', content: '[[say It is noon.]]' },
      { role: 'assistant', content: 'It is noon.' },
    ]);
  });

  test('gives the model the earlier messages of a chat that stays open', async () => {
    const made = await fetch(`${url}/api/chats`, { method: 'POST' });
    const { id } = (await made.json()) as { id: string };
    const client = await ChatClient.connect(url, id, '');
    undo.add(() => client.close());
    await client.runTurn('[[say It is noon.]]');
    await client.runTurn('[[say Still noon.]]');
    expect(model.requests.at(-1)?.messages).toEqual([
      { role: 'user', content: '[[say It is noon.]]' },
      { role: 'assistant', content: 'It is noon.' },
      { role: 'user', content: '[[say Still noon.]]' },
    ]);
  });
});
