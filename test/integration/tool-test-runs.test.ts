import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ApiClient } from '../support/api-client.ts';
import { EffectServer } from '../support/effect-server.ts';
import { registerUser } from '../support/factories.ts';
import { registerColleague } from '../support/people.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

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

interface Tool {
  readonly id: string;
  readonly key: string;
  readonly only_in_chats: boolean;
}

async function idOf(client: ApiClient, key: string): Promise<string> {
  const { json } = await client.get<Tool[]>('/api/tools/builtin');
  return json.find((tool) => tool.key === key)?.id ?? '';
}

async function tryTool(client: ApiClient, key: string, args: object = {}) {
  const path = `/api/tools/${await idOf(client, key)}/test`;
  return client.post<Record<string, unknown>>(path, { arguments: args });
}

/** Returns the names of the scratch workspaces that are there. */
async function scratch(): Promise<string[]> {
  const folder = join(instance.workspaces, 'trials');
  const orgs = await readdir(folder).catch(() => []);
  return (await Promise.all(orgs.map(async (org) => readdir(join(folder, org)).catch(() => [])))).flat();
}

const denied = (message: string) => ({
  status: 200,
  json: { status: 'error', result: { error: { class: 'denied', message: expect.stringContaining(message) } } },
});

describe('POST /api/tools/{tool_id}/test of a builtin tool', () => {
  test('makes the call, shows what came of it and how long it took, and leaves nothing behind', async () => {
    const { client, orgId } = await registerUser(instance.api.url);
    expect(await tryTool(client, 'math_evaluate', { expression: '6*7' })).toMatchObject({
      status: 200,
      json: { status: 'success', result: expect.anything(), logs: [], duration_ms: expect.any(Number) },
    });
    const { rows } = await instance.api.database.system.query('select from tool_test_runs where org_id = $1', [orgId]);
    expect(rows).toEqual([]);
    expect(await tryTool(client, 'math_evaluate', { expresion: '1' })).toMatchObject({
      json: { status: 'error', result: { error: { class: 'invalid_input' } } },
    });
  });

  test('has a scratch workspace for each call, which is removed with it', async () => {
    const { client } = await registerUser(instance.api.url);
    expect(await tryTool(client, 'file_write', { path: 'a/note.md', content: 'hello' })).toMatchObject({
      json: { status: 'success', result: { path: 'a/note.md', bytes: 5, replaced: false } },
    });
    expect(await tryTool(client, 'file_read', { path: 'a/note.md' })).toMatchObject({
      json: { status: 'error', result: { error: { class: 'not_found' } } },
    });
    expect(await scratch()).toEqual([]);
  });

  test('refuses tools that work on what only a chat and its agent have, and says which those are', async () => {
    const { client } = await registerUser(instance.api.url);
    for (const key of ['agent_spawn', 'approval_request', 'memory_manage', 'task_create', 'image_generate']) {
      const { json: tool } = await client.get<Tool>(`/api/tools/${await idOf(client, key)}`);
      expect(tool).toMatchObject({ key, only_in_chats: true });
      expect(await tryTool(client, key)).toMatchObject({
        status: 409,
        json: { detail: expect.stringContaining('ask an agent that has it in a chat') },
      });
    }
    const { json: tools } = await client.get<Tool[]>('/api/tools/builtin');
    expect(tools.find(({ key }) => key === 'file_read')?.only_in_chats).toBe(false);
  });

  test('makes no call that waits for the decision of a person', async () => {
    const { client } = await registerUser(instance.api.url);
    const url = `${effects.url}/approved-by-nobody`;
    expect(await tryTool(client, 'http_request', { method: 'POST', url })).toMatchObject(
      denied('decision of a person'),
    );
    expect(effects.at('/approved-by-nobody')).toEqual([]);
  });

  test('reaches what a call of a turn may reach, and nothing else', async () => {
    const { client } = await registerUser(instance.api.url);
    const read = await tryTool(client, 'http_request', { method: 'GET', url: `${effects.url}/tried` });
    expect(read).toMatchObject({ json: { status: 'success', result: expect.stringContaining('done GET /tried') } });
    const url = instance.api.url.replace('127.0.0.1', '127.0.0.2');
    const inside = await tryTool(client, 'http_request', { method: 'GET', url });
    expect(inside).toMatchObject({ json: { status: 'error' } });
  });

  test('takes the right to manage tools, and the tool among those that the caller may use', async () => {
    const owner = await registerUser(instance.api.url);
    const [viewer, restricted] = [
      await registerColleague(instance.api, owner, 'member'),
      await registerColleague(instance.api, owner, 'member'),
    ];
    const group = async (permissions: string[], userId: string, capabilities = {}) => {
      const fields = { name: `Group of ${userId}`, permissions, capabilities };
      const { json } = await owner.client.post<{ id: string }>('/api/permissions/groups', fields);
      await owner.client.send('PUT', `/api/permissions/groups/${json.id}/members`, { user_ids: [userId] });
    };
    await group(['tools.view'], viewer.id);
    await group(['tools.view', 'tools.manage'], restricted.id, { tool_keys: ['time_now'] });
    const id = await idOf(owner.client, 'math_evaluate');
    const body = { arguments: { expression: '1' } };
    await waitUntil('the rights to count', async () => {
      const { status } = await viewer.client.post(`/api/tools/${id}/test`, body);
      return status === 403 ? true : undefined;
    });
    expect((await restricted.client.post(`/api/tools/${id}/test`, body)).status).toBe(404);
    expect(await tryTool(restricted.client, 'time_now')).toMatchObject({ json: { status: 'success' } });
  });

  test('says that a call may have taken effect when its worker dies, and does not make it again', async () => {
    const { client } = await registerUser(instance.api.url);
    const call = tryTool(client, 'http_request', { method: 'GET', url: `${effects.url}/hold/tried` });
    await effects.waitFor('/hold/tried');
    await instance.killWorkers();
    await instance.addWorker();
    expect((await call).status).toBe(503);
    expect(effects.at('/hold/tried')).toHaveLength(1);
    effects.release();
  });
});
