import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { writeArchive } from '../../definition-files/index.ts';
import { createAgent, createTool, registerUser, type TestUser } from '../../test/support/factories.ts';
import { upload } from '../../test/support/file-exchange.ts';
import { registerColleague } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

interface Answer {
  readonly status: number;
  readonly json: unknown;
}

const served = serveTestApi();
let owner: TestUser;
let member: TestUser;
beforeAll(async () => {
  owner = await registerUser(served.url);
  member = await registerColleague(served.api, owner, 'member');
  const group = await owner.client.post<{ id: string }>('/api/permissions/groups', { name: 'Narrow' });
  const path = `/api/permissions/groups/${group.json.id}`;
  const permissions = ['tools.manage', 'agents.manage', 'marketplace.manage'];
  expect((await owner.client.patch(path, { permissions })).status).toBe(200);
  await owner.client.send('PUT', `${path}/members`, { user_ids: [member.id] });
});

const newKey = () => `k-${randomUUID()}`;
const fileOf = (said: object = {}) =>
  JSON.stringify({ parameters: { type: 'object' }, runtime: 'javascript', effect: 'once', ...said });
const STRICT = { requires_approval: 'always' };

/** Adds a tool by the owner, with an agent that names it. */
async function addUsed(said: object = STRICT): Promise<{ readonly key: string; readonly path: string }> {
  const key = newKey();
  const id = await createTool(owner.client, { 'tool.json': fileOf(said) }, { key });
  await createAgent(owner.client, { tools: [key] });
  return { key, path: `/api/tools/${id}` };
}

const write = async ({ client }: TestUser, path: string, said: object = {}): Promise<Answer> =>
  client.send('PUT', `${path}/files/tool.json`, { content: fileOf(said) });
const remove = async ({ client }: TestUser, path: string): Promise<Answer> => client.delete(path);
const add = async ({ client }: TestUser, key: string) =>
  client.post<{ id: string }>('/api/tools', { key, name: 'Sample', description: 'Does.', category: 'custom' });

async function importTool(user: TestUser, key: string, said: object = {}): Promise<Answer> {
  const files = new Map([['tool.json', fileOf({ name: 'Sample', description: 'Does.', category: 'custom', ...said })]]);
  const archive = await buffer(writeArchive(key, files));
  return upload(user, '/api/tools/import', archive, 'application/zip');
}

function expectRefusal({ status, json }: Answer, key: string): void {
  const detail = `You need the permission approvals.manage to have calls of the tool "${key}" wait less for a person`;
  expect([status, json]).toEqual([403, { detail }]);
}

describe('without approvals.manage, when calls of a tool wait', () => {
  test.each([
    ['never instead of always', STRICT, { requires_approval: 'never' }],
    ['writes instead of always', STRICT, { requires_approval: 'writes' }],
    ['the default instead of writes', { requires_approval: 'writes' }, {}],
    ['reading instead of changing', { effect: 'keyed' }, { effect: 'read' }],
  ])('is not loosened by a tool.json that says %s', async (_what, former, wanted) => {
    const { key, path } = await addUsed(former);
    expectRefusal(await write(member, path, wanted), key);
    expect((await write(owner, path, wanted)).status).toBe(200);
  });

  test('is tightened, and kept, by a tool.json that says so', async () => {
    const { path } = await addUsed({ requires_approval: 'writes' });
    expect((await write(member, path, { requires_approval: 'writes', timeout_s: 5 })).status).toBe(200);
    expect((await write(member, path, STRICT)).status).toBe(200);
    expect((await member.client.patch(path, { name: 'Other' })).status).toBe(200);
  });

  test('is not loosened by deleting the tool.json, or the tool, and adding it again', async () => {
    const { key, path } = await addUsed();
    expect((await remove(member, `${path}/files/tool.json`)).status).toBe(204);
    expectRefusal(await write(member, path), key);
    expect((await write(member, path, STRICT)).status).toBe(200);
    expect((await remove(member, path)).status).toBe(204);
    expectRefusal(await importTool(member, key), key);
    const { json } = await add(member, key);
    expectRefusal(await write(member, `/api/tools/${json.id}`), key);
    expect((await write(member, `/api/tools/${json.id}`, STRICT)).status).toBe(200);
  });

  test('is not loosened by giving another tool its key', async () => {
    const { key, path } = await addUsed();
    const { json: other } = await add(member, newKey());
    expect((await write(member, `/api/tools/${other.id}`)).status).toBe(200);
    expect((await member.client.patch(path, { key: newKey() })).status).toBe(200);
    expectRefusal(await member.client.patch(`/api/tools/${other.id}`, { key }), key);
    expect((await owner.client.patch(`/api/tools/${other.id}`, { key })).status).toBe(200);
  });

  test('is free for a tool that no agent names', async () => {
    expect((await importTool(member, newKey())).status).toBe(201);
    const { json } = await add(member, newKey());
    expect((await write(member, `/api/tools/${json.id}`)).status).toBe(200);
  });

  test('is not that of another organization', async () => {
    const { key } = await addUsed();
    const stranger = await registerUser(served.url);
    expect((await importTool(stranger, key)).status).toBe(201);
  });
});

test('an item of the marketplace does not replace a tool that somebody else has added', async () => {
  const item = '/api/marketplace/text-toolkit/install?edited=replace';
  const admin = await registerUser(served.url);
  const other = await registerColleague(served.api, admin, 'member');
  const { json } = await admin.client.post<{ records: { id: string; kind: string }[] }>(item);
  const id = json.records.find(({ kind }) => kind === 'tool')?.id ?? '';
  expect((await write(admin, `/api/tools/${id}`)).status).toBe(200);
  expect(await other.client.post(item)).toMatchObject({
    status: 403,
    json: { detail: expect.stringContaining('Somebody else has added this tool') },
  });
  expect((await admin.client.post(item)).status).toBe(200);
});

describe('without approvals.manage, an item of the marketplace', () => {
  const ITEM = '/api/marketplace/text-toolkit/install';
  const KEY = 'list_compare';

  test('does not replace a tool with stricter approval', async () => {
    const { json } = await owner.client.post<{ records: { id: string; key: string }[] }>(ITEM);
    const id = json.records.find(({ key }) => key === KEY)?.id ?? '';
    const path = `/api/tools/${id}`;
    expect((await write(owner, path, STRICT)).status).toBe(200);
    expectRefusal(await member.client.post(`${ITEM}?edited=replace`), KEY);
    expect((await owner.client.post(`${ITEM}?edited=replace`)).status).toBe(200);
    expect((await member.client.post(`${ITEM}?edited=replace`)).status).toBe(200);
    await createAgent(owner.client, { tools: [KEY] });
    expect((await remove(member, path)).status).toBe(204);
    expectRefusal(await member.client.post(ITEM), KEY);
    expect((await owner.client.post(ITEM)).status).toBe(200);
  });
});
