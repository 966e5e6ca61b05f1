import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { platformCreateTool } from '../../activities/tools/builtin/platform/platform-create.ts';
import { readShippedDefinitions } from '../../builtin/index.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { installItem } from '../../db/marketplace/install-item.ts';
import { findPolicy } from '../../db/permissions/for-turn.ts';
import { writeArchive } from '../../definition-files/index.ts';
import { ShippedDefinitions } from '../../domain/definitions/definition.ts';
import { BUILTIN_SOURCE, type MarketplaceItem } from '../../domain/marketplace.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';
import { callFor } from '../support/calls-for.ts';
import { createAgent, createChat, createTool, registerUser, type TestUser } from '../support/factories.ts';
import { upload } from '../support/file-exchange.ts';
import { registerColleague, registerGrouped } from '../support/people.ts';
import { type Refusal, refusalIn, refusalOf } from '../support/refusals.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { createTestTools, type TestTools } from '../support/tool-context.ts';
import { waitUntil } from '../support/wait-until.ts';

// Tools are added and changed by requests, archives, agents and installations. All of them refuse the same, in the same
// words.

interface Said {
  readonly requires_approval?: string;
  readonly code?: string;
}

/** How somebody adds tools, and replaces those that there are. */
interface Entry {
  add(who: TestUser, key: string, said?: Said): Promise<Refusal>;
  replace?(who: TestUser, tool: { readonly id: string; readonly key: string }, said?: Said): Promise<Refusal>;
}

const served = serveTestApi();
let tools: TestTools;
let owner: TestUser;
/** A member in a group, which restricts them. */
let member: TestUser;
/** A member in no group. */
let colleague: TestUser;
let groupPath: string;
let caller: { readonly agentId: string; readonly chatId: string };

beforeAll(async () => {
  tools = await createTestTools({ database: served.api.database });
});
afterAll(() => tools.close());

const KEYS = ['tools.manage', 'agents.view', 'marketplace.manage'];

async function begin(): Promise<void> {
  owner = await registerUser(served.url);
  ({ member, groupPath } = await registerGrouped(served.api, owner, KEYS));
  colleague = await registerColleague(served.api, owner, 'member');
  const agentId = await createAgent(owner.client);
  caller = { agentId, chatId: await createChat(owner.client, agentId) };
}
beforeAll(begin);
afterEach(async () => allow({}));

/** Lets the member use only what these lists name, and everything of which there is no list. */
async function allow(lists: Readonly<Record<string, readonly string[]>>): Promise<void> {
  const capabilities = { tool_keys: [], skill_keys: [], ...lists };
  expect((await owner.client.patch(groupPath, { capabilities })).status).toBe(200);
}

const newKey = () => `t_${randomUUID().slice(0, 8)}`;
const RECORD = { name: 'Sample', description: 'Does.', category: 'custom' };
const GOOD_CODE = 'export default () => 1;\n';

const definitionOf = ({ code: _code, ...said }: Said) => ({
  parameters: { type: 'object' },
  runtime: 'javascript',
  effect: 'once',
  ...said,
});
const toolFileOf = (said: Said) => JSON.stringify(definitionOf(said));

const filesOf = (said: Said) =>
  new Map([
    ['tool.json', toolFileOf(said)],
    ['main.js', said.code ?? GOOD_CODE],
  ]);

async function policyOf({ id: userId, orgId }: TestUser) {
  const policy = await withOrgTransaction(served.api.database, orgId, (em) => findPolicy(em, { orgId, userId }));
  if (policy === null) throw new Error('the user has no policy');
  return policy;
}

/** Writes the files of a tool one by one, as far as the request before them was not refused. */
async function write({ client }: TestUser, id: string, said: Said): Promise<Refusal> {
  const put = async (path: string, content: string) =>
    refusalIn(client.send('PUT', `/api/tools/${id}/files/${path}`, { content }));
  return (await put('tool.json', toolFileOf(said))) ?? put('main.js', said.code ?? GOOD_CODE);
}

async function addByRequest(who: TestUser, key: string, said: Said): Promise<Refusal> {
  const request = who.client.post<{ readonly id: string }>('/api/tools', { ...RECORD, key });
  return (await refusalIn(request as never)) ?? write(who, (await request).json.id, said);
}

async function importTool(who: TestUser, key: string, said: Said): Promise<Refusal> {
  const files = new Map([
    ['tool.json', JSON.stringify({ ...RECORD, ...definitionOf(said) })],
    ['main.js', said.code ?? GOOD_CODE],
  ]);
  return refusalIn(
    upload(who, '/api/tools/import', await buffer(writeArchive(key, files)), 'application/zip') as never,
  );
}

async function call(who: TestUser, key: string, said: Said): Promise<Refusal> {
  const { database } = served.api;
  const from = { ...caller, orgId: owner.orgId, userId: who.id, policy: await policyOf(who) };
  const { code = GOOD_CODE } = said;
  const args = { ...RECORD, key, definition: definitionOf(said), code };
  return refusalOf(callFor({ database, tools }, from, platformCreateTool, args));
}

const slugOf = (key: string) => `item-of-${key.replaceAll('_', '-')}`;

async function install(who: TestUser, key: string, said: Said, edited: 'keep' | 'replace' = 'replace') {
  const content = { ...RECORD, key, version: '1.0.0', files: filesOf(said), persona: null };
  const item: MarketplaceItem = {
    slug: slugOf(key),
    name: 'Item',
    kind: 'tool',
    version: '1.0.0',
    summary: '',
    tags: [],
    providers: [],
    destinations: [],
    readme: '',
    agents: [],
    definitions: [{ kind: 'tool', content }],
    files: new Map(),
    source: BUILTIN_SOURCE,
  };
  const { database } = served.api;
  const definitions = { shipped: new ShippedDefinitions(readShippedDefinitions({})) };
  const deps = { database, definitions, orgLimits: parseOrgLimits(''), shippedPersonaId: () => undefined };
  const actor = { orgId: owner.orgId, userId: who.id, policy: await policyOf(who) };
  return refusalOf(installItem(deps, actor, item, { edited, changeSource: false }));
}

const ENTRIES = {
  'a request': {
    add: async (who, key, said = {}) => addByRequest(who, key, said),
    replace: async (who, { id }, said = {}) => write(who, id, said),
  },
  'an archive': { add: async (who, key, said = {}) => importTool(who, key, said) },
  'an agent': {
    add: async (who, key, said = {}) => call(who, key, said),
    replace: async (who, { key }, said = {}) => call(who, key, said),
  },
  'an installation': {
    add: async (who, key, said = {}) => install(who, key, said),
    replace: async (who, { key }, said = {}) => install(who, key, said),
  },
} as const satisfies Record<string, Entry>;

const ADDING = Object.keys(ENTRIES) as (keyof typeof ENTRIES)[];
const REPLACING = ['a request', 'an agent', 'an installation'] as const;

/** Adds a tool by the owner that each entry can replace: it looks as if it had been installed. */
async function toolWith(said: Said = {}): Promise<{ readonly id: string; readonly key: string }> {
  const key = newKey();
  const id = await createTool(owner.client, Object.fromEntries(filesOf(said)), { key });
  const installed = "update definitions set slug = $2, origin = 'marketplace' where id = $1";
  await served.api.database.system.query(installed, [id, slugOf(key)]);
  return { id, key };
}

const STRICT = { requires_approval: 'always' };
/** Returns the key of a tool that there was, which its list can name. */
async function goneKey(meanwhile: (key: string) => Promise<unknown>): Promise<string> {
  const { id, key } = await toolWith(STRICT);
  await meanwhile(key);
  expect((await owner.client.delete(`/api/tools/${id}`)).status).toBe(204);
  return key;
}

const toolFile = async ({ id }: { readonly id: string }) =>
  (await owner.client.get<{ readonly content: string }>(`/api/tools/${id}/files/tool.json`)).json;
const shown = async (tool: { readonly id: string }) => [
  (await owner.client.get<object>(`/api/tools/${tool.id}`)).json,
  await toolFile(tool),
];

const cannotDirect = (agent: string, withheld = 'tool "file_write"') => [
  'forbidden',
  expect.stringMatching(`agent "${agent}" .* ${withheld}`),
];
const waitsLess = (key: string) => [
  'forbidden',
  `You need the permission approvals.manage to have calls of the tool "${key}" wait less for a person`,
];

describe('a new tool', () => {
  test.each(ADDING)('is not added by %s for a user who may use certain tools only', async (entry) => {
    const key = await goneKey(async (each) => allow({ tool_keys: [each] }));
    const words = 'Your permission groups allow certain tools only, so you cannot add others';
    expect(await ENTRIES[entry].add(member, key)).toEqual(['forbidden', words]);
  });

  test.each(ADDING)('is not added by %s under a key of an agent that the user may not direct', async (entry) => {
    const strong = { name: 'Skilled', skills: ['summarize'] };
    const key = await goneKey(async (each) => createAgent(owner.client, { ...strong, tools: [each] }));
    await allow({ skill_keys: ['git'] });
    expect(await ENTRIES[entry].add(member, key, STRICT)).toEqual(cannotDirect('Skilled', 'skill "summarize"'));
  });

  test.each(ADDING.filter((entry) => entry !== 'an agent'))(
    'does not take the place of a builtin one by %s for a member',
    async (entry) => {
      const words = 'Only administrators may replace the builtin tool "file_read" for the organization';
      expect(await ENTRIES[entry].add(member, 'file_read')).toEqual(['forbidden', words]);
    },
  );

  test('does not override a builtin one by an agent, whoever it works for', async () => {
    const words = 'The builtin tool "file_read" is not replaced by an agent; choose another key';
    expect(await ENTRIES['an agent'].add(owner, 'file_read')).toEqual(['forbidden', words]);
  });

  test.each(ADDING)('waits by %s no less than one that agents name and that has gone', async (entry) => {
    const key = await goneKey(async (each) => createAgent(owner.client, { tools: [each] }));
    expect(await ENTRIES[entry].add(member, key)).toEqual(waitsLess(key));
  });

  test.each(ADDING)('is not added by %s with code that cannot be read', async (entry) => {
    const refusal = await ENTRIES[entry].add(member, newKey(), { code: 'export default (' });
    expect(refusal).toEqual(['unprocessable', expect.stringMatching(/line 1/)]);
  });

  test.each(ADDING)('is added by %s where nothing speaks against it, and belongs to its user', async (entry) => {
    const key = newKey();
    expect(await ENTRIES[entry].add(member, key, STRICT)).toBeUndefined();
    const { json } = await owner.client.get<readonly { readonly key: string }[]>('/api/tools?limit=500');
    expect(json.find((each) => each.key === key)).toMatchObject({ owner_id: member.id, usable: true });
  });

  test('is not added where there is no room for more', async () => {
    await served.api.database.system.query(
      `insert into definitions (id, org_id, kind, key, name, description, category, origin, version)
        select gen_random_uuid(), $1, 'skill', 'one-of-' || n, 'One', '', 'custom', 'custom', '1.0.0'
        from generate_series(1, 1000) n`,
      [owner.orgId],
    );
    const refused = await Promise.all(ADDING.map(async (entry) => ENTRIES[entry].add(member, newKey())));
    await begin();
    for (const refusal of refused) expect(refusal).toEqual(['conflict', expect.stringContaining('the limit of')]);
  });
});

describe('a tool', () => {
  test.each(REPLACING)('is not changed by %s for a member who has not added it', async (entry) => {
    const tool = await toolWith();
    const before = await shown(tool);
    const words =
      'Somebody else has added this tool: only they, administrators and members who are granted this by a permission group may change it';
    expect(await ENTRIES[entry].replace(colleague, tool, { requires_approval: 'writes' })).toEqual([
      'forbidden',
      words,
    ]);
    expect(await shown(tool)).toEqual(before);
  });

  test.each(REPLACING)('of an agent that the user may not direct is not changed by %s', async (entry) => {
    const tool = await toolWith();
    await createAgent(owner.client, { name: 'Strong', tools: ['file_write', tool.key] });
    const before = await shown(tool);
    await allow({ tool_keys: [tool.key] });
    expect(await ENTRIES[entry].replace(member, tool, STRICT)).toEqual(cannotDirect('Strong'));
    expect(await shown(tool)).toEqual(before);
  });

  test.each(REPLACING)('does not come to wait less by %s without approvals.manage', async (entry) => {
    const tool = await toolWith(STRICT);
    const before = await shown(tool);
    expect(await ENTRIES[entry].replace(member, tool)).toEqual(waitsLess(tool.key));
    expect(await shown(tool)).toEqual(before);
  });

  test('stays open to others when one who could not have it wait less keeps it', async () => {
    const tool = await toolWith(STRICT);
    const installedDigest = async () =>
      (await served.api.database.system.query('select installed_digest from definitions where id = $1', [tool.id]))
        .rows;
    expect(await install(member, tool.key, {}, 'keep')).toBeUndefined();
    expect(await installedDigest()).toEqual([{ installed_digest: null }]);
    expect(await install(owner, tool.key, {}, 'keep')).toBeUndefined();
    expect(await installedDigest()).toEqual([{ installed_digest: expect.any(String) }]);
  });

  test.each(REPLACING)('is compared by %s with what another change has stored in the meantime', async (entry) => {
    const { database } = served.api;
    const tool = await toolWith();
    const { change } = await withOrgTransaction(database, owner.orgId, async (em) => {
      await em.execute('select from definitions where id = ? for update', [tool.id]);
      const strict = "update definition_files set content = ? where definition_id = ? and path = 'tool.json'";
      await em.execute(strict, [toolFileOf(STRICT), tool.id]);
      const changing = ENTRIES[entry].replace(member, tool);
      const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      const count = async () => (await database.system.query(waiting)).rowCount;
      await waitUntil('the change to wait', async () => (await count()) || undefined);
      return { change: changing };
    });
    expect(await change).toEqual(waitsLess(tool.key));
  });

  test.each([
    ['changed', async (path: string) => member.client.patch(path, { description: 'Obey.' })],
    ['written', async (path: string) => member.client.send('PUT', `${path}/files/more.md`, { content: 'Obey.' })],
    ['deleted', async (path: string) => member.client.delete(path)],
  ] as const)('is not %s once it has got a key of an agent that the user may not direct', async (_what, send) => {
    const { database } = served.api;
    const tool = await toolWith();
    const taken = await goneKey(async (each) => allow({ tool_keys: [tool.key, each] }));
    const { change } = await withOrgTransaction(database, owner.orgId, async (em) => {
      await em.execute('update definitions set key = ? where id = ?', [taken, tool.id]);
      const tools = JSON.stringify(['file_write', taken]);
      await database.system.query("update agents set name = 'Taken', tools = $2 where id = $1", [
        caller.agentId,
        tools,
      ]);
      const changing = refusalIn(send(`/api/tools/${tool.id}`) as never);
      const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      const count = async () => (await database.system.query(waiting)).rowCount;
      await waitUntil('the change to wait', async () => (await count()) || undefined);
      return { change: changing };
    });
    expect(await change).toEqual(cannotDirect('Taken'));
  });

  test.each(REPLACING)('is changed by %s where nothing speaks against it', async (entry) => {
    const tool = await toolWith();
    expect(await ENTRIES[entry].replace(member, tool, STRICT)).toBeUndefined();
    const { content } = await toolFile(tool);
    expect(JSON.parse(content)).toMatchObject(STRICT);
  });

  test('of another organization is none of those that are replaced', async () => {
    const tool = await toolWith();
    const before = await shown(tool);
    const stranger = await registerUser(served.url);
    expect(await refusalIn(stranger.client.patch(`/api/tools/${tool.id}`, { name: 'Ours' }) as never)).toEqual([
      'not_found',
      'Tool not found',
    ]);
    const from = { ...caller, orgId: stranger.orgId, userId: stranger.id, policy: await policyOf(stranger) };
    const args = { ...RECORD, key: tool.key, definition: definitionOf({}), code: GOOD_CODE };
    await callFor({ database: served.api.database, tools }, from, platformCreateTool, args);
    expect(await shown(tool)).toEqual(before);
  });

  test('has the same entry in the audit log whether a request or an agent has added it', async () => {
    const keys = [newKey(), newKey()];
    await ENTRIES['a request'].add(owner, String(keys[0]));
    await ENTRIES['an agent'].add(owner, String(keys[1]));
    const { json } =
      await owner.client.get<readonly { readonly id: string; readonly key: string }[]>('/api/tools?limit=500');
    for (const key of keys) {
      const { id = '' } = json.find((each) => each.key === key) ?? {};
      const entries = await owner.client.get<readonly object[]>(`/api/audit?record_id=${id}&action=tools.create`);
      expect(entries.json).toMatchObject([
        {
          actor_id: owner.id,
          record_type: 'tools',
          outcome: 'success',
          fields: expect.arrayContaining(['key', 'name']),
        },
      ]);
    }
  });
});
