import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { memoryManage } from '../../activities/tools/builtin/knowledge/memory-manage.ts';
import { createAgent, registerUser, type TestUser } from '../support/factories.ts';
import { type Refusal, refusalIn, refusalOf } from '../support/refusals.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { createTestTools, prepareCall, type TestTools } from '../support/tool-context.ts';

// Memories are added and changed by requests and by the agent itself, which refuse the same.

type Fields = Readonly<Record<string, unknown>>;

interface AuditEntry {
  readonly action: string;
  readonly related_ids: readonly string[];
  readonly fields: readonly string[];
  readonly ip: string;
}

interface Entry {
  add(fields: Fields): Promise<Refusal>;
  change(id: string, fields: Fields): Promise<Refusal>;
}

const served = serveTestApi();
let tools: TestTools;
let owner: TestUser;
let agentId: string;

beforeAll(async () => {
  tools = await createTestTools({ database: served.api.database });
  owner = await registerUser(served.url);
  agentId = await createAgent(owner.client);
});
afterAll(() => tools.close());

const path = (id = '') => `/api/agents/${agentId}/memories${id === '' ? '' : `/${id}`}`;

async function call(args: Fields, idempotencyKey = uuidv7()) {
  const scope = { orgId: owner.orgId, userId: owner.id, agentId, callId: idempotencyKey };
  const context = { ...tools.context, memories: tools.memoriesOf(scope), idempotencyKey };
  return prepareCall(memoryManage, args).run(context);
}

const ENTRIES = {
  'a request': {
    add: async (fields) => refusalIn(owner.client.post(path(), { content: 'New', ...fields })),
    change: async (id, fields) => refusalIn(owner.client.patch(path(id), fields)),
  },
  'an agent': {
    add: async (fields) => refusalOf(call({ action: 'add', content: 'New', ...fields })),
    change: async (id, fields) => refusalOf(call({ action: 'update', memory_id: id, ...fields })),
  },
} as const satisfies Record<string, Entry>;
const ALL = Object.keys(ENTRIES) as (keyof typeof ENTRIES)[];

const add = async () => (await owner.client.post<{ id: string }>(path(), { content: 'One' })).json.id;

describe('a memory', () => {
  test.each(
    [
      { what: 'a blank text', fields: { content: ' \n' } },
      { what: 'too long a text', fields: { content: 'x'.repeat(10_001) } },
      { what: 'a tag of two lines', fields: { tags: ['a\nb'] } },
      { what: 'an unknown kind', fields: { type: 'dream' } },
      { what: 'a priority that there is not', fields: { priority: 6 } },
    ].flatMap((each) => ALL.map((entry) => ({ entry, ...each }))),
  )('gets $what from $entry neither when it is added nor later', async ({ entry, fields }) => {
    const id = await add();
    const refused = ['unprocessable', expect.any(String)];
    expect(await ENTRIES[entry].add(fields)).toEqual(refused);
    expect(await ENTRIES[entry].change(id, fields)).toEqual(refused);
    expect((await owner.client.get(path(id))).json).toMatchObject({ content: 'One', tags: [], priority: 3 });
  });

  test('has the same entries in the audit log, whoever adds, changes and deletes it', async () => {
    const fields = { content: 'Told', tags: ['a'] };
    const byHand = (await owner.client.post<{ id: string }>(path(), fields)).json.id;
    await owner.client.patch(path(byHand), { priority: 5 });
    await owner.client.delete(path(byHand));
    const byAgent = uuidv7();
    await call({ action: 'add', ...fields }, byAgent);
    await call({ action: 'update', memory_id: byAgent, priority: 5 });
    await call({ action: 'delete', memory_id: byAgent });
    const entriesOf = async (id: string) => {
      const { json } = await owner.client.get<AuditEntry[]>(`/api/audit?record_id=${id}`);
      return json
        .toReversed()
        .map(({ action, fields: named, related_ids: related }) => [action, named.toSorted(), related]);
    };
    const entries = await entriesOf(byHand);
    expect(entries).toEqual([
      ['memories.create', ['content', 'tags'], [agentId]],
      ['memories.update', ['priority'], [agentId]],
      ['memories.delete', [], [agentId]],
    ]);
    expect(await entriesOf(byAgent)).toEqual(entries);
  });
});
