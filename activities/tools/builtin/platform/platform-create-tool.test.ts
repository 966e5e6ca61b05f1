import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { type Policy, policyOf } from '../../../../domain/permissions/policy.ts';
import { callFor, type ToolCaller } from '../../../../test/support/calls-for.ts';
import { createAgent, createChat, registerUser, type TestUser } from '../../../../test/support/factories.ts';
import { registerColleague } from '../../../../test/support/people.ts';
import { serveTestApi } from '../../../../test/support/serve-test-api.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import { platformCreateTool } from './platform-create.ts';

const served = serveTestApi();
let tools: TestTools;
let user: TestUser;
let agentId: string;
let chatId: string;

beforeAll(async () => {
  tools = await createTestTools({ database: served.api.database });
  user = await registerUser(served.url);
  agentId = await createAgent(user.client, { name: 'Builder' });
  chatId = await createChat(user.client, agentId);
});
afterAll(() => tools.close());

const parameters = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const SHOUT = {
  name: 'Shout',
  description: 'Writes a text in capitals.',
  definition: { parameters, effect: 'read', runtime: 'javascript', name: 'Another name' },
  code: 'export default ({ text }) => text.toUpperCase();\n',
};
const newKey = () => `shout_${randomUUID().slice(0, 8)}`;

interface Written {
  readonly tool_id: string;
}

async function call(args: Record<string, unknown>, caller: Partial<ToolCaller> = {}): Promise<Written> {
  const own = { orgId: user.orgId, userId: user.id, agentId, chatId, ...caller };
  const given = { ...SHOUT, key: newKey(), ...args };
  return (await callFor({ database: served.api.database, tools }, own, platformCreateTool, given)).value as Written;
}

function bound(permissions: string[], toolKeys: string[] = []): Policy {
  const allowlists = { agentIds: [], skillKeys: [], toolKeys, personaIds: [], providerIds: [], chainIds: [] };
  const limits = { tokenBudget: 0, tokenWindowHours: 0, maxConcurrentAgents: 0, maxProviderAccounts: 0 };
  return policyOf('member', [{ id: 'g', permissions, limits, allowlists, defaultChainId: null }]);
}

describe('platform_create_tool', () => {
  test('adds one usable tool for each call, however often it is repeated', async () => {
    const callKey = uuidv7();
    const key = newKey();
    const [one, two] = [await call({ key }, { key: callKey }), await call({ key }, { key: callKey })];
    expect(one).toEqual({ tool_id: callKey, key, usable: true });
    expect(two).toEqual(one);
    const { json } = await user.client.get(`/api/tools/${callKey}`);
    expect(json).toMatchObject({ key, name: 'Shout', origin: 'custom', usable: true });
    const audit = await user.client.get<object[]>(`/api/audit?record_id=${callKey}`);
    expect(audit.json).toMatchObject([{ action: 'tools.create', actor_id: user.id, related_ids: [agentId] }]);
  });

  test('adds nothing by a repeated call, whatever has become of its tool and of the rights of its user', async () => {
    const callKey = uuidv7();
    const key = newKey();
    await call({ key }, { key: callKey });
    expect((await user.client.patch(`/api/tools/${callKey}`, { key: newKey() })).status).toBe(200);
    const policy = bound(['tools.manage'], ['time_now']);
    expect(await call({ key }, { key: callKey, policy })).toMatchObject({ tool_id: callKey });
  });

  test('adds one tool when a call is repeated while it runs', async () => {
    const callKey = uuidv7();
    const key = newKey();
    const both = await Promise.all([call({ key }, { key: callKey }), call({ key }, { key: callKey })]);
    for (const each of both) expect(each).toMatchObject({ tool_id: callKey });
  });

  test('replaces one that there is under its key, whose version and category stay unless they are given', async () => {
    const key = newKey();
    const { tool_id: id } = await call({ key, category: 'web' });
    expect((await user.client.patch(`/api/tools/${id}`, { version: '2.1.0' })).status).toBe(200);
    const shown = async () => (await user.client.get(`/api/tools/${id}`)).json;
    expect(await call({ key, name: 'Louder' })).toMatchObject({ tool_id: id });
    expect(await shown()).toMatchObject({ name: 'Louder', category: 'web', version: '2.1.0' });
    await call({ key, category: 'data' });
    expect(await shown()).toMatchObject({ category: 'data' });
  });

  test('replaces none that somebody else has added, for a member', async () => {
    const colleague = await registerColleague(served.api, user, 'member');
    const asColleague = { userId: colleague.id, policy: policyOf('member', []) };
    const key = newKey();
    await call({ key });
    await expect(call({ key, name: 'Theirs' }, asColleague)).rejects.toMatchObject({
      kind: 'denied',
      message: expect.stringContaining('Somebody else has added this tool'),
    });
    const own = newKey();
    const { tool_id: id } = await call({ key: own }, asColleague);
    expect(await call({ key: own, name: 'Mine' }, asColleague)).toMatchObject({ tool_id: id });
    expect((await user.client.get(`/api/tools/${id}`)).json).toMatchObject({ name: 'Mine', owner_id: colleague.id });
  });

  test('says what keeps a tool from being used', async () => {
    const definition = { parameters, effect: 'read', runtime: 'http' };
    expect(await call({ definition })).toMatchObject({ usable: false, problem: expect.stringContaining('http.json') });
    const request = { method: 'GET', url: 'https://example.com/{{ text }}' };
    expect(await call({ definition, request, code: undefined })).toMatchObject({ usable: true });
    const named = { ...definition, integration: 'Nowhere' };
    expect(await call({ definition: named, request, code: undefined })).toMatchObject({
      usable: false,
      problem: expect.stringContaining('Nowhere'),
    });
  });

  test('overrides no builtin tool', async () => {
    await expect(call({ key: 'file_read' })).rejects.toMatchObject({ kind: 'denied' });
  });

  test('adds nothing under a key that its user may not use, nor loosens what waits for a person', async () => {
    const restricted = bound(['tools.manage'], ['time_now']);
    await expect(call({}, { policy: restricted })).rejects.toMatchObject({ kind: 'denied' });
    await expect(call({}, { policy: null })).rejects.toMatchObject({ kind: 'denied' });
    const key = newKey();
    await call({ key, definition: { ...SHOUT.definition, requires_approval: 'always' } });
    await expect(call({ key }, { policy: bound(['tools.manage']) })).rejects.toMatchObject({ kind: 'denied' });
    expect(await call({ key })).toMatchObject({ usable: true });
  });

  test('replaces no tool of an agent that its user may not direct', async () => {
    const key = newKey();
    await call({ key });
    await createAgent(user.client, { name: 'Strong', tools: [key, 'file_write'] });
    const policy = bound(['tools.manage', 'approvals.manage'], [key]);
    await expect(call({ key }, { policy })).rejects.toMatchObject({ kind: 'denied' });
  });

  test('after reading text from outside waits for a person, whatever the settings say', async () => {
    await expect(call({}, { hasForeignText: true })).rejects.toMatchObject({ kind: 'denied' });
    expect(await call({}, { hasForeignText: true, isApproved: true })).toMatchObject({ usable: true });
  });

  test.each([
    { key: 'Not A Key' },
    { code: 'export default (' },
    { definition: { runtime: 'perl' } },
    { description: '' },
    { definition: { parameters: 5 } },
  ])('says what is wrong in %j', async (args) => {
    await expect(call(args)).rejects.toMatchObject({ kind: 'invalid_input' });
  });

  test('a person decides first', () => {
    expect(prepareCall(platformCreateTool, { ...SHOUT, key: 'shout' })).toMatchObject({
      approval: 'writes',
      effect: 'keyed',
    });
  });
});
