import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { platformCreateAgent } from '../../activities/tools/builtin/platform/platform-create.ts';
import { builtinAgents } from '../../builtin/index.ts';
import { AGENT_DEFAULTS, type AgentFields, getAgent } from '../../db/agents/agents.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { installItem } from '../../db/marketplace/install-item.ts';
import { findPolicy } from '../../db/permissions/for-turn.ts';
import { ShippedDefinitions } from '../../domain/definitions/definition.ts';
import { BUILTIN_SOURCE, type MarketplaceItem } from '../../domain/marketplace.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';
import { PERMISSION_CATALOG } from '../../domain/permissions/keys.ts';
import { callFor } from '../support/calls-for.ts';
import { createAgent, createChain, createChat, registerUser, type TestUser } from '../support/factories.ts';
import { registerGrouped } from '../support/people.ts';
import { type Refusal, refusalIn, refusalOf } from '../support/refusals.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { createTestTools, type TestTools } from '../support/tool-context.ts';
import { waitUntil } from '../support/wait-until.ts';

// Agents are added and changed by requests, by agents and by installations. All of them refuse the same, in the same
// words.

interface Fields {
  readonly tools?: string[];
  readonly skills?: string[];
  readonly system_prompt?: string;
  readonly persona_id?: string | undefined;
  readonly provider_chain_id?: string | undefined;
}

type Lists = Readonly<Record<string, readonly string[]>>;

/** How the member adds and changes agents. */
interface Entry {
  add(fields: Fields): Promise<Refusal>;
  change(id: string, fields: Fields): Promise<Refusal>;
}

const served = serveTestApi();
let tools: TestTools;
let owner: TestUser;
let member: TestUser;
let groupPath: string;
let caller: { readonly agentId: string; readonly chatId: string };
let personas: string[];
let chains: string[];

beforeAll(async () => {
  tools = await createTestTools({ database: served.api.database });
});
afterAll(() => tools.close());

/** Begins an organization with a member who may use everything. */
async function begin(): Promise<void> {
  owner = await registerUser(served.url);
  const permissions = PERMISSION_CATALOG.map(({ key }) => key);
  ({ member, groupPath } = await registerGrouped(served.api, owner, permissions));
  const agentId = await createAgent(owner.client);
  caller = { agentId, chatId: await createChat(owner.client, agentId) };
  personas = (await owner.client.get<{ id: string }[]>('/api/personas/builtin')).json.map(({ id }) => id);
  chains = [await createChain(owner.client), await createChain(owner.client, { name: 'Another' })];
}
beforeAll(begin);
afterEach(async () => allow({}));

/** Lets the member use only what these lists name, and everything of which there is no list. */
async function allow(lists: Lists): Promise<void> {
  const none = { agent_ids: [], tool_keys: [], skill_keys: [], persona_ids: [], chain_ids: [] };
  expect((await owner.client.patch(groupPath, { capabilities: { ...none, ...lists } })).status).toBe(200);
}

async function call(args: Record<string, unknown>): Promise<unknown> {
  const { database } = served.api;
  const policy = await policyOfMember();
  return callFor(
    { database, tools },
    { ...caller, orgId: owner.orgId, userId: member.id, policy },
    platformCreateAgent,
    args,
  );
}

async function policyOfMember() {
  const { id: userId, orgId } = member;
  const policy = await withOrgTransaction(served.api.database, orgId, (em) => findPolicy(em, { orgId, userId }));
  if (policy === null) throw new Error('the member has no policy');
  return policy;
}

/** Installs an item of one agent, or upgrades the agent that was installed from it. */
async function install(slug: string, agent: AgentFields, fields: Fields): Promise<void> {
  const { system_prompt: systemPrompt = agent.systemPrompt, persona_id: personaId = agent.personaId } = fields;
  const { tools: toolKeys = agent.tools, skills = agent.skills } = fields;
  const persona = personaId === null ? null : 'some_persona';
  const policy = await policyOfMember();
  const item: MarketplaceItem = {
    slug,
    name: slug,
    kind: 'agent',
    version: '1.0.0',
    summary: '',
    tags: [],
    providers: [],
    destinations: [],
    readme: '',
    agents: [{ ...agent, key: 'agent', persona, systemPrompt, tools: toolKeys, skills }],
    definitions: [],
    files: new Map(),
    source: BUILTIN_SOURCE,
  };
  const { database } = served.api;
  const definitions = { shipped: new ShippedDefinitions([]) };
  const deps = { database, definitions, orgLimits: parseOrgLimits(''), shippedPersonaId: () => personaId ?? undefined };
  const actor = { orgId: owner.orgId, userId: member.id, policy };
  await installItem(deps, actor, item, { edited: 'replace', changeSource: false });
}

const shown = async (id: string) => (await owner.client.get<object>(`/api/agents/${id}`)).json;
const slugOf = (agentId: string) => `item-of-${agentId}`;

/** Adds an agent that all ways can change: it looks as if it had been installed. */
async function agentWith(fields: Fields): Promise<string> {
  const id = await createAgent(owner.client, { ...fields });
  const marked = "update agents set slug = $2, item_key = 'agent' where id = $1";
  await served.api.database.system.query(marked, [id, slugOf(id)]);
  return id;
}

const ENTRIES = {
  'a request': {
    add: async (fields) => refusalIn(member.client.post('/api/agents', { name: 'New', ...fields })),
    change: async (id, fields) => refusalIn(member.client.patch(`/api/agents/${id}`, fields)),
  },
  'an agent': {
    add: async (fields) => refusalOf(call({ name: 'New', ...fields })),
    change: async (id, fields) => refusalOf(call({ agent_id: id, ...fields })),
  },
  'an installation': {
    add: async (fields) => refusalOf(install(`item-${randomUUID()}`, { ...AGENT_DEFAULTS, name: 'New' }, fields)),
    change: async (id, fields) => {
      const stored = await withOrgTransaction(served.api.database, owner.orgId, (em) => getAgent(em, id));
      return refusalOf(install(slugOf(id), stored, fields));
    },
  },
} as const satisfies Record<string, Entry>;

type EntryName = keyof typeof ENTRIES;
const ALL = Object.keys(ENTRIES) as EntryName[];
/** Items set no chain, and may name tools, skills and personas that an organization lacks. */
const NO_ITEM: readonly EntryName[] = ['a request', 'an agent'];

const cannotGive = (key: string) =>
  ['forbidden', `Your permission groups do not let you use the ${key}, so you cannot give it to an agent`] as const;
const unknown = (key: string) => ['unprocessable', `There is no ${key}`] as const;
const missing = (thing: string) => ['not_found', `${thing} not found`] as const;

interface Case {
  readonly what: string;
  readonly by?: readonly EntryName[];
  readonly lists?: () => Lists;
  readonly fields: () => Fields;
  readonly refusal: Refusal;
}

/** What neither a new agent nor a changed one gets. */
const GIVEN: readonly Case[] = [
  {
    what: 'a tool that does not exist',
    by: NO_ITEM,
    fields: () => ({ tools: ['time_now', 'nonsense'] }),
    refusal: unknown('tool "nonsense"'),
  },
  {
    what: 'a skill that does not exist',
    by: NO_ITEM,
    fields: () => ({ skills: ['nonsense'] }),
    refusal: unknown('skill "nonsense"'),
  },
  {
    what: 'a tool that the user may not use',
    lists: () => ({ tool_keys: ['time_now'] }),
    fields: () => ({ tools: ['time_now', 'file_write'] }),
    refusal: cannotGive('tool "file_write"'),
  },
  {
    what: 'a skill that the user may not use',
    lists: () => ({ skill_keys: ['git'] }),
    fields: () => ({ skills: ['summarize'] }),
    refusal: cannotGive('skill "summarize"'),
  },
  {
    what: 'a skill that gives a tool which the user may not use',
    lists: () => ({ tool_keys: ['time_now'] }),
    fields: () => ({ skills: ['agent_spawn'] }),
    refusal: cannotGive('tool "agent_spawn"'),
  },
  {
    what: 'a persona that does not exist',
    by: NO_ITEM,
    fields: () => ({ persona_id: randomUUID() }),
    refusal: missing('Persona'),
  },
  {
    what: 'a persona that the user may not use',
    lists: () => ({ persona_ids: personas.slice(1) }),
    fields: () => ({ persona_id: personas[0] }),
    refusal: missing('Persona'),
  },
  {
    what: 'a provider chain that does not exist',
    by: NO_ITEM,
    fields: () => ({ provider_chain_id: randomUUID() }),
    refusal: missing('Provider chain'),
  },
  {
    what: 'a provider chain that the user may not use',
    by: NO_ITEM,
    lists: () => ({ chain_ids: chains.slice(1) }),
    fields: () => ({ provider_chain_id: chains[0] }),
    refusal: missing('Provider chain'),
  },
];

const each = (cases: readonly Case[]) =>
  cases.flatMap(({ by = ALL, lists = () => ({}), ...rest }) => by.map((entry) => ({ entry, lists, ...rest })));

describe('a new agent', () => {
  test.each(each(GIVEN))('is not given $what by $entry', async ({ entry, lists, fields, refusal }) => {
    await allow(lists());
    expect(await ENTRIES[entry].add(fields())).toEqual(refusal);
  });

  test.each(ALL)('is not added by %s for a user who may use certain agents only', async (entry) => {
    await allow({ agent_ids: [caller.agentId] });
    const words = 'Your permission groups allow certain agents only, so you cannot add others';
    expect(await ENTRIES[entry].add({})).toEqual(['forbidden', words]);
  });

  test('is not added where there is no room for more', async () => {
    await served.api.database.system.query(
      `insert into agents (id, org_id, name, agent_type, temperature, max_tokens, max_subagents, max_concurrency)
        select gen_random_uuid(), $1, 'One of many', 'custom', 0, 1, 9, 9 from generate_series(1, 1000)`,
      [owner.orgId],
    );
    const refused = await Promise.all(ALL.map(async (entry) => ENTRIES[entry].add({})));
    await begin();
    for (const refusal of refused)
      expect(refusal).toEqual(['conflict', expect.stringContaining('the limit of 1,000 agents')]);
  });
});

describe('an agent', () => {
  test.each(each(GIVEN))('is not given $what by $entry', async ({ entry, lists, fields, refusal }) => {
    const id = await agentWith({ tools: ['time_now'] });
    const before = await shown(id);
    await allow(lists());
    expect(await ENTRIES[entry].change(id, fields())).toEqual(refusal);
    expect(await shown(id)).toEqual(before);
  });

  test.each(ALL)('gets no other instructions by %s for a user who may not give it all that it has', async (entry) => {
    const id = await agentWith({ tools: ['file_write'] });
    const before = await shown(id);
    await allow({ tool_keys: ['time_now'] });
    const words =
      'The agent has the tool "file_write", which your permission groups do not let you use, so you cannot change its instructions';
    expect(await ENTRIES[entry].change(id, { system_prompt: 'Obey.' })).toEqual(['forbidden', words]);
    expect(await ENTRIES[entry].change(id, { system_prompt: 'Obey.', tools: [] })).toEqual(['forbidden', words]);
    expect(await shown(id)).toEqual(before);
  });

  test.each(ALL)('is compared by %s with what another change has stored in the meantime', async (entry) => {
    const { database } = served.api;
    const id = await agentWith({ tools: ['file_write'] });
    await allow({ tool_keys: ['time_now'] });
    const { change } = await withOrgTransaction(database, owner.orgId, async (em) => {
      await em.execute("update agents set tools = '[]' where id = ?", [id]);
      const changing = ENTRIES[entry].change(id, { tools: ['file_write'] });
      const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      const count = async () => (await database.system.query(waiting)).rowCount;
      await waitUntil('the change to wait', async () => (await count()) || undefined);
      return { change: changing };
    });
    expect(await change).toEqual(cannotGive('tool "file_write"'));
  });

  test.each(NO_ITEM)('is not found by %s where the user may use others only', async (entry) => {
    const id = await agentWith({});
    await allow({ agent_ids: [caller.agentId] });
    expect(await ENTRIES[entry].change(id, { system_prompt: 'Obey.' })).toEqual(missing('Agent'));
  });

  test.each(NO_ITEM)('is not found by %s once it is deleted', async (entry) => {
    const id = await agentWith({});
    await owner.client.delete(`/api/agents/${id}`);
    expect(await ENTRIES[entry].change(id, { system_prompt: 'Obey.' })).toEqual(missing('Agent'));
  });

  test.each(NO_ITEM)('that ships with the service is not changed by %s', async (entry) => {
    const words = 'Builtin agents cannot be changed or deleted; create an agent with the same fields instead';
    const id = builtinAgents[0]?.id ?? '';
    expect(await ENTRIES[entry].change(id, { system_prompt: 'Obey.' })).toEqual(['forbidden', words]);
  });

  test.each(ALL)('is added and changed by %s where nothing speaks against it', async (entry) => {
    const id = await agentWith({ tools: ['file_write'] });
    await allow({ tool_keys: ['time_now'] });
    const fields = { tools: ['time_now'], skills: ['git'] };
    expect(await ENTRIES[entry].add(fields)).toBeUndefined();
    expect(await ENTRIES[entry].change(id, { tools: ['file_write', 'time_now'] })).toBeUndefined();
  });
});
