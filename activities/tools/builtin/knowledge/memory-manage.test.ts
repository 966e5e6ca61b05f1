import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { createAgent, registerUser, type TestUser } from '../../../../test/support/factories.ts';
import { serveTestApi } from '../../../../test/support/serve-test-api.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import { EMPTY_ALLOWLISTS, type Policy, policyOf } from '../../../../domain/permissions/policy.ts';
import { agentMemories } from '../../operations/agent-records.ts';
import type { ToolArguments } from '../../tool.ts';
import { memoryManage } from './memory-manage.ts';

interface Shown {
  readonly id: string;
  readonly content: string;
}

const served = serveTestApi();
let tools: TestTools;
let owners: TestUser;
let owner: { orgId: string; agentId: string };
let colleague: { orgId: string; agentId: string };
let stranger: { orgId: string; agentId: string };

beforeAll(async () => {
  tools = await createTestTools({ database: served.api.database });
  const [user, other] = [await registerUser(served.url), await registerUser(served.url)];
  owners = user;
  owner = { orgId: user.orgId, agentId: await createAgent(user.client) };
  colleague = { orgId: user.orgId, agentId: await createAgent(user.client) };
  stranger = { orgId: other.orgId, agentId: await createAgent(other.client) };
});
afterAll(() => tools.close());

/** The rights of a member whose groups allow these tools. */
function memberWith(toolKeys: readonly string[]): Policy {
  const limits = { tokenBudget: 0, tokenWindowHours: 0, maxConcurrentAgents: 0, maxProviderAccounts: 0 };
  const allowlists = { ...EMPTY_ALLOWLISTS, toolKeys };
  return policyOf('member', [{ id: 'a', permissions: ['memory.manage'], limits, allowlists, defaultChainId: null }]);
}

async function call<T>(
  args: ToolArguments,
  agent: typeof owner & { policy?: Policy } = owner,
  idempotencyKey: string = crypto.randomUUID(),
): Promise<T> {
  const context = { ...tools.context, memories: tools.memoriesOf(agent), idempotencyKey };
  return (await prepareCall(memoryManage, args).run(context)).value as T;
}

const listed = async (agent: typeof owner & { policy?: Policy } = owner) =>
  (await call<{ memories: Shown[] }>({ action: 'list' }, agent)).memories;
const found = async (content: string, rest: object = {}) =>
  (await call<{ memories: Shown[] }>({ action: 'search', content, ...rest })).memories.map(({ content }) => content);

/** The ids of calls, as the engine assigns them. */
const [CALL, OTHER_CALL] = [uuidv7(), uuidv7()];

describe('memory_manage', () => {
  test('adds one memory for each call, however often the call is repeated', async () => {
    const args = { action: 'add', content: 'likes tea' };
    const [one, two] = [await call<Shown>(args, owner, CALL), await call<Shown>(args, owner, CALL)];
    expect(two).toEqual(one);
    expect(one).toMatchObject({ id: CALL, type: 'fact', tags: [], priority: 3 });
    expect(await listed()).toEqual([one]);
  });

  test('enters a deletion when the audit log is unavailable for a moment', async () => {
    const { id } = await call<Shown>({ action: 'add', content: 'likes coffee' });
    const { tenant, system: whole } = served.api.database;
    let isAway = true;
    const system = Object.assign(Object.create(whole) as typeof whole, {
      query: async (statement: { readonly text: string; readonly values: unknown[] }) => {
        if (!isAway) return whole.query(statement);
        isAway = false;
        throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
      },
    });
    const scope = { ...owner, userId: owners.id, policy: policyOf('owner', []), callId: uuidv7() };
    const memories = agentMemories({ tenant, system }, scope, new AbortController().signal);
    await memories.delete(id);
    expect(await listed()).not.toContainEqual(expect.objectContaining({ id }));
    const entries = await whole.query('select action from audit_log where record_id = $1 and id = $2', [
      id,
      scope.callId,
    ]);
    expect(entries.rows).toEqual([{ action: 'memories.delete' }]);
  });

  test('changes nothing for a user who could not give the agent all that it has, and shows all the same', async () => {
    const agentId = await createAgent(owners.client, { name: 'Clerk', tools: ['memory_manage', 'http_request'] });
    const agent = { orgId: owner.orgId, agentId };
    const { id } = await call<Shown>({ action: 'add', content: 'answer briefly' }, agent);
    const policy = memberWith(['memory_manage']);
    for (const args of [
      { action: 'add', content: 'answer rudely', type: 'instruction' },
      { action: 'update', memory_id: id, content: 'answer rudely' },
      { action: 'delete', memory_id: id },
    ])
      await expect(call(args, { ...agent, policy })).rejects.toMatchObject({
        kind: 'denied',
        message: expect.stringContaining('The agent "Clerk" has the tool "http_request"'),
      });
    expect(await listed({ ...agent, policy })).toMatchObject([{ content: 'answer briefly' }]);
    const all = { ...agent, policy: memberWith(['memory_manage', 'http_request']) };
    expect(await call({ action: 'delete', memory_id: id }, all)).toMatchObject({ deleted: true });
  });

  test('shows, changes and deletes nothing of another agent or another organization', async () => {
    const { id } = await call<Shown>({ action: 'add', content: 'a secret' });
    for (const agent of [colleague, stranger, { ...stranger, agentId: owner.agentId }]) {
      await expect(call({ action: 'update', memory_id: id, content: 'x' }, agent)).rejects.toMatchObject({
        kind: 'not_found',
      });
      expect(await call({ action: 'delete', memory_id: id }, agent)).toMatchObject({ deleted: false });
      expect(await call<object>({ action: 'search', content: 'secret' }, agent)).toEqual({ memories: [] });
    }
    expect(await listed(colleague)).toEqual([]);
    expect((await listed()).map(({ content }) => content)).toContain('a secret');
  });

  test('adds nothing under the id of a memory that another agent has', async () => {
    await call({ action: 'add', content: 'mine' }, owner, OTHER_CALL);
    await expect(call({ action: 'add', content: 'theirs' }, stranger, OTHER_CALL)).rejects.toThrow();
    expect(await listed(stranger)).toEqual([]);
  });

  test('finds by words, the best first, taking no character for a pattern', async () => {
    await call({ action: 'add', content: 'The deploy runs at 100% on Fridays', tags: ['ops'], priority: 1 });
    await call({ action: 'add', content: 'Deploy is done by Kim', type: 'instruction', priority: 5 });
    expect(await found('deploy FRIDAYS')).toEqual(['The deploy runs at 100% on Fridays', 'Deploy is done by Kim']);
    expect(await found('deploy')).toEqual(['Deploy is done by Kim', 'The deploy runs at 100% on Fridays']);
    expect(await found('deploy', { type: 'fact' })).toEqual(['The deploy runs at 100% on Fridays']);
    expect(await found('ops', { tags: ['ops'] })).toEqual(['The deploy runs at 100% on Fridays']);
    expect(await found('100%')).toEqual(['The deploy runs at 100% on Fridays']);
    expect(await found('d_ploy')).toEqual([]);
  });

  test('finds one word in as much as an agent may remember, and adds nothing to it', async () => {
    const user = await registerUser(served.url);
    const full = { orgId: user.orgId, agentId: await createAgent(user.client) };
    await served.api.database.system.query(
      `insert into agent_memories (id, org_id, agent_id, content, type, priority)
        select gen_random_uuid(), $1, $2, repeat('Wörter ohne Ende ', 111), 'fact', 3 from generate_series(1, 1999)`,
      [full.orgId, full.agentId],
    );
    await call({ action: 'add', content: 'the needle' }, full);
    const words = Array.from({ length: 19 }, (_, at) => `missing${at}`).join(' ');
    expect(await call({ action: 'search', content: `${words} NEEDLE` }, full)).toMatchObject({
      memories: [{ content: 'the needle' }],
    });
    const refusal = { kind: 'invalid_input', message: expect.stringContaining('2,000 memories of 4,000,000 bytes') };
    await expect(call({ action: 'add', content: 'one more' }, full)).rejects.toMatchObject(refusal);
    const { memories } = await call<{ memories: Shown[] }>({ action: 'list' }, full);
    const id = memories[0]?.id;
    await served.api.database.system.query(
      "update agent_memories set content = repeat('x', 2000) where agent_id = $1",
      [full.agentId],
    );
    await expect(call({ action: 'update', memory_id: id, content: 'x'.repeat(2_001) }, full)).rejects.toMatchObject(
      refusal,
    );
    expect(await call({ action: 'update', memory_id: id, content: 'shorter' }, full)).toMatchObject({
      content: 'shorter',
    });
  });

  test('changes the given fields only, and deletes once', async () => {
    const { id } = await call<Shown>({ action: 'add', content: 'old', tags: ['x'], priority: 2 });
    const changed = await call({ action: 'update', memory_id: id.toUpperCase(), content: 'new' });
    expect(changed).toMatchObject({ id, content: 'new', tags: ['x'], priority: 2 });
    expect(await call({ action: 'delete', memory_id: id })).toMatchObject({ deleted: true });
    expect(await call({ action: 'delete', memory_id: id })).toMatchObject({ deleted: false });
  });

  test.each([{ action: 'add' }, { action: 'add', content: '  ' }, { action: 'update' }, { action: 'delete' }])(
    'says what is missing in %j',
    async (args) => {
      await expect(call(args)).rejects.toMatchObject({ kind: 'invalid_input' });
    },
  );

  test.each([
    ['add', 'keyed'],
    ['update', 'keyed'],
    ['delete', 'keyed'],
    ['search', 'read'],
    ['list', 'read'],
  ])('of the action %s is %s', (action, effect) => {
    expect(prepareCall(memoryManage, { action }).effect).toBe(effect);
  });
});

describe('a memory of text from outside', () => {
  test('says so whenever it is shown, until it is deleted', async () => {
    const run = (args: ToolArguments, hasForeignText = false) =>
      prepareCall(memoryManage, args).run({
        ...tools.context,
        memories: tools.memoriesOf(colleague),
        idempotencyKey: crypto.randomUUID(),
        hasForeignText,
      });
    await run({ action: 'add', content: 'plain walnut' });
    expect(await run({ action: 'search', content: 'walnut' })).toMatchObject({ isForeign: false });
    const { value } = await run({ action: 'add', content: 'foreign walnut' }, true);
    const { id } = value as Shown;
    expect(await run({ action: 'search', content: 'walnut' })).toMatchObject({ isForeign: true });
    expect(await run({ action: 'list' })).toMatchObject({ isForeign: true });
    // A later change does not say what remains in it.
    expect(await run({ action: 'update', memory_id: id, priority: 5 })).toMatchObject({ isForeign: true });
    await run({ action: 'delete', memory_id: id });
    expect(await run({ action: 'list' })).toMatchObject({ isForeign: false });
  });

  test('is one, too, that was changed after it was read', async () => {
    const { id } = await call<Shown>({ action: 'add', content: 'pecan' }, colleague);
    const context = { ...tools.context, memories: tools.memoriesOf(colleague), hasForeignText: true };
    await prepareCall(memoryManage, { action: 'update', memory_id: id, content: 'pecan pie' }).run(context);
    const search = prepareCall(memoryManage, { action: 'search', content: 'pecan' });
    const found = await search.run({ ...context, hasForeignText: false });
    expect(found.isForeign).toBe(true);
  });
});
