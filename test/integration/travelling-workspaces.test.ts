import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { EffectServer } from '../support/effect-server.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { OpenChat } from './open-chat.ts';

interface Detail {
  readonly name: string;
  readonly status: string;
  readonly result: string;
}

let effects: EffectServer;
let instance: TestInstance;
beforeAll(async () => {
  effects = await EffectServer.start();
  instance = await startTestInstance();
});
afterAll(async () => {
  await instance.close();
  effects.close();
});

const call = (tool: string, args: object) => `[[tool ${tool} ${JSON.stringify(args)}]]`;

test('a turn goes on with its files on another machine when the first is lost with its disk, and people fetch them', async () => {
  const url = `${effects.url}/hold/machine-lost`;
  const chat = await OpenChat.create(instance, {
    agent: { tools: ['file_write', 'file_read', 'file_edit', 'http_request'] },
  });
  const socket = await chat.connect();
  const steps = [
    call('file_write', { path: 'notes/plan.md', content: 'the plan', create_dirs: true }),
    call('file_edit', { path: 'notes/plan.md', old_text: 'plan', new_text: 'better plan' }),
    call('http_request', { url, method: 'GET' }),
    call('file_read', { path: 'notes/plan.md' }),
    call('file_write', { path: 'notes/after.md', content: 'from the second' }),
  ];
  socket.send({
    type: 'message',
    content: `${steps.join(' [[then]] ')} [[then]] [[say done]]`,
    client_message_id: 'a',
  });
  await effects.waitFor('/hold/machine-lost');
  await instance.killWorkers();
  rmSync(instance.workspaces, { recursive: true });
  await instance.addWorker();
  await effects.waitFor('/hold/machine-lost', 2);
  effects.release();
  const end = await socket.waitForEnd();
  const details = (end['metadata'] as { tool_calls_detail: readonly Detail[] }).tool_calls_detail;
  expect(details.map(({ name, status }) => [name, status])).toEqual([
    ['file_write', 'success'],
    ['file_edit', 'success'],
    ['http_request', 'success'],
    ['file_read', 'success'],
    ['file_write', 'success'],
  ]);
  expect(details[3]?.result).toContain('the better plan');
  const { client } = chat.user;
  const { json } = await client.get<{ path: string }[]>(`/api/chats/${chat.id}/workspace?folder=notes`);
  expect(json.map(({ path }) => path)).toEqual(['notes/after.md', 'notes/plan.md']);
  const { bytes } = await client.download(`/api/chats/${chat.id}/workspace/notes/plan.md`);
  expect(bytes.toString()).toBe('the better plan');
  chat.close();
});
