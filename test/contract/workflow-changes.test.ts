import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { workflowTrigger } from '../../activities/tools/builtin/platform/workflow-trigger.ts';
import { SecretBox } from '../../db/core/secret-box.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { findPolicy } from '../../db/permissions/for-turn.ts';
import { createWorkflow, setWorkflowActive, updateWorkflow } from '../../db/workflow-changes.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';
import { allowedIds } from '../../domain/permissions/restrict.ts';
import { callFor } from '../support/calls-for.ts';
import { createAgent, createChat, registerUser, type TestUser } from '../support/factories.ts';
import { type ConnectedClient, connectMcpClient } from '../support/mcp/mcp-clients.ts';
import { registerGrouped } from '../support/people.ts';
import { type MaybeRefused, type Refusal, refusalIn, refusalOf, wordsIn } from '../support/refusals.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { TEST_SECRET_KEY } from '../support/test-api.ts';
import { createTestTools, type TestTools } from '../support/tool-context.ts';
import { waitUntil } from '../support/wait-until.ts';

// Runs of workflows are started by requests, by MCP clients and by agents, which are refused the same. Workflows are
// changed by requests, whose rules are those of the operations below them.

const served = serveTestApi();
let tools: TestTools;
let owner: TestUser;
let member: TestUser;
let groupPath: string;
let client: ConnectedClient;
let chatId: string;
/** The agent of the workflows, and another. */
let agentIds: [string, string];

beforeAll(async () => {
  tools = await createTestTools({ database: served.api.database });
  await begin();
});
afterAll(async () => {
  await client.close();
  await tools.close();
});
afterEach(async () => allow([]));

/** Begins an organization with a member who may use all agents. */
async function begin(): Promise<void> {
  owner = await registerUser(served.url);
  ({ member, groupPath } = await registerGrouped(served.api, owner, ['agents.view', 'schedules.manage']));
  agentIds = [await createAgent(owner.client), await createAgent(owner.client, { name: 'Other' })];
  chatId = await createChat(owner.client, agentIds[0]);
  client = await connectMcpClient(served.url, member.accessToken);
}

/** Lets the member use these agents only; all of them when there are none. */
async function allow(ids: readonly string[]): Promise<void> {
  expect((await owner.client.patch(groupPath, { capabilities: { agent_ids: ids } })).status).toBe(200);
}

async function policyOfMember() {
  const { id: userId, orgId } = member;
  const policy = await withOrgTransaction(served.api.database, orgId, (em) => findPolicy(em, { orgId, userId }));
  if (policy === null) throw new Error('the member has no policy');
  return policy;
}

type Fields = Readonly<Record<string, unknown>>;

async function addWorkflow(fields: Fields = {}): Promise<string> {
  const workflow = { name: 'Report', agent_id: agentIds[0], prompt_template: 'Sales of {{ month }}', ...fields };
  return (await owner.client.post<{ readonly id: string }>('/api/workflows', workflow)).json.id;
}

/** What came of a start: the id of the run, or the words of the refusal. */
type Started = { readonly runId: string } | { readonly words: string };
type Start = (workflowId: string, variables: Fields, key: string) => Promise<Started>;

const ENTRIES = {
  'a request': async (workflowId, variables, key) => {
    const path = `/api/workflows/${workflowId}/trigger`;
    const { status, json } = await member.client.post<{ readonly run_id: string } & MaybeRefused>(
      path,
      { variables },
      { 'idempotency-key': key },
    );
    return status === 202 ? { runId: json.run_id } : { words: wordsIn(json) };
  },
  'an MCP client': async (workflowId, variables, key) => {
    const args = { workflow_id: workflowId, variables, idempotency_key: key };
    const { isError, text, data } = await client.call('start_workflow', args);
    return isError ? { words: text } : { runId: String(data['run_id']) };
  },
  'an agent': async (workflowId, variables, key) => {
    const { database } = served.api;
    const policy = await policyOfMember();
    const caller = { orgId: owner.orgId, userId: member.id, agentId: agentIds[0], chatId, policy, key };
    try {
      const called = callFor({ database, tools }, caller, workflowTrigger, { workflow_id: workflowId, variables });
      return { runId: String(((await called).value as Fields)['run_id']) };
    } catch (error) {
      return { words: (error as Error).message };
    }
  },
} as const satisfies Record<string, Start>;
const ALL = Object.keys(ENTRIES) as (keyof typeof ENTRIES)[];

const MAY = { month: 'May' };
const NO_WORKFLOW = { words: 'Workflow not found' };
const runsOf = async (id: string) => (await owner.client.get<readonly Fields[]>(`/api/workflows/${id}/runs`)).json;

describe('a run', () => {
  test.each(ALL)('is not started by %s of a workflow that there is not, or of another organization', async (entry) => {
    const stranger = await registerUser(served.url);
    const agentId = await createAgent(stranger.client);
    const theirs = { name: 'Theirs', agent_id: agentId, prompt_template: 'Go.' };
    const { json } = await stranger.client.post<{ readonly id: string }>('/api/workflows', theirs);
    for (const id of [randomUUID(), json.id]) expect(await ENTRIES[entry](id, MAY, randomUUID())).toEqual(NO_WORKFLOW);
  });

  test.each(ALL)('is not started by %s with an agent that the user may not use, also of a step', async (entry) => {
    const id = await addWorkflow();
    const steps = [{ name: 'write', prompt_template: 'Write.', agent_id: agentIds[0] }];
    const stepped = await addWorkflow({ agent_id: agentIds[1], steps });
    await allow([agentIds[1]]);
    for (const each of [id, stepped]) expect(await ENTRIES[entry](each, MAY, randomUUID())).toEqual(NO_WORKFLOW);
    expect(await runsOf(stepped)).toEqual([]);
  });

  test.each(ALL)('is not started by %s when its first prompt would be empty', async (entry) => {
    const id = await addWorkflow({ prompt_template: '{{ words }}' });
    expect(await ENTRIES[entry](id, {}, randomUUID())).toEqual({ words: 'With these variables the prompt is empty' });
  });

  test.each(ALL)('is not started by %s beside 1,000 open ones', async (entry) => {
    const id = await addWorkflow();
    await served.api.database.system.query(
      `insert into workflow_runs (id, org_id, workflow_id, user_id, triggered_by, status, variables, missing_variables,
          steps, prompt)
        select gen_random_uuid(), $1, $2, $3, 'manual', 'queued', '{}', '[]', '[]', '' from generate_series(1, 1000)`,
      [owner.orgId, id, member.id],
    );
    const words = 'The workflow has 1000 runs that have not ended; try again later';
    expect(await ENTRIES[entry](id, MAY, randomUUID())).toEqual({ words });
  });

  test.each(ALL)('is started by %s once for a key, also by two at once', async (entry) => {
    const id = await addWorkflow();
    const key = randomUUID();
    const [one, two] = await Promise.all([ENTRIES[entry](id, MAY, key), ENTRIES[entry](id, MAY, key)]);
    expect(one).toEqual({ runId: expect.any(String) });
    expect(two).toEqual(one);
    const runs = await runsOf(id);
    const by = entry === 'an agent' ? 'agent' : 'manual';
    expect(runs).toMatchObject([{ ...('runId' in one && { id: one.runId }), user_id: member.id, triggered_by: by }]);
  });

  test.each(ALL)('is found by %s again, whatever has become of its workflow since', async (entry) => {
    const id = await addWorkflow();
    const key = randomUUID();
    const first = await ENTRIES[entry](id, MAY, key);
    await owner.client.patch(`/api/workflows/${id}`, { prompt_template: '{{ words }}' });
    expect(await ENTRIES[entry](id, MAY, key)).toEqual(first);
    if (entry === 'an agent') return;
    // An agent reads the run, too.
    await allow([agentIds[1]]);
    expect(await ENTRIES[entry](id, MAY, key)).toEqual(first);
    expect(await ENTRIES[entry](id, MAY, randomUUID())).toEqual(NO_WORKFLOW);
  });

  test.each(ALL)('that %s has started is in the audit log', async (entry) => {
    const id = await addWorkflow();
    await ENTRIES[entry](id, MAY, randomUUID());
    const path = `/api/audit?record_id=${id}&action=workflows.trigger`;
    const [logged] = await waitUntil('the entry', async () => {
      const { json } = await owner.client.get<readonly Fields[]>(path);
      return json.length > 0 ? json : undefined;
    });
    expect(logged).toMatchObject({ actor_id: member.id, record_type: 'workflows', outcome: 'success' });
    expect(logged?.['fields']).toContain('variables');
  });
});

/** How a workflow is changed: by a request, and by the operation alone, before which nothing was checked. */
interface Change {
  add(fields: Fields): Promise<Refusal>;
  change(id: string, fields: Fields): Promise<Refusal>;
  activate(id: string): Promise<Refusal>;
}

async function within<T>(
  work: (em: Parameters<typeof createWorkflow>[0], actor: Parameters<typeof createWorkflow>[2]) => Promise<T>,
) {
  const actor = {
    orgId: owner.orgId,
    userId: member.id,
    allowedAgentIds: allowedIds(await policyOfMember(), 'agentIds'),
  };
  return refusalOf(withOrgTransaction(served.api.database, owner.orgId, async (em) => work(em, actor)));
}

const box = new SecretBox([TEST_SECRET_KEY]);
const WORKFLOW = {
  name: 'Report',
  agentId: '',
  triggerType: 'manual',
  promptTemplate: 'Go.',
  description: '',
} as const;
const BOUNDS = { steps: [], maxConcurrentRuns: null, timeLimitMinutes: null, keepRunsDays: 90 };

const CHANGES = {
  'a request': {
    add: async (fields) =>
      refusalIn(
        member.client.post('/api/workflows', { name: 'R', agent_id: agentIds[0], prompt_template: 'Go.', ...fields }),
      ),
    change: async (id, fields) => refusalIn(member.client.patch(`/api/workflows/${id}`, fields)),
    activate: async (id) => refusalIn(member.client.post(`/api/workflows/${id}/activate`)),
  },
  'the operation': {
    add: async (fields) =>
      within(async (em, actor) => {
        const deps = { box, orgLimits: parseOrgLimits('') };
        return createWorkflow(em, deps, actor, { ...WORKFLOW, ...BOUNDS, agentId: agentIds[0], ...inner(fields) });
      }),
    change: async (id, fields) =>
      within(async (em, actor) => updateWorkflow(em, box, actor, { id, changes: inner(fields) })),
    activate: async (id) =>
      within(async (em, { orgId, userId, ...bound }) =>
        setWorkflowActive(em, { orgId, userId }, { id, ...bound }, true),
      ),
  },
} as const satisfies Record<string, Change>;

function inner(fields: Fields): object {
  const { agent_id: agentId, cron_expr: cronExpr, timezone, prompt_template: promptTemplate, steps } = fields;
  const stepped = (steps as readonly Fields[] | undefined)?.map((step) => ({
    name: step['name'],
    promptTemplate: step['prompt_template'],
    agentId: step['agent_id'],
    approval: false,
    retries: 0,
  }));
  const given = { agentId, cronExpr, timezone, promptTemplate, steps: stepped };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

const NO_AGENT = ['not_found', 'Agent not found'];
const invalid = (words: string) => ['unprocessable', expect.stringContaining(words)];
const stepOf = (agentId: string | undefined) => [{ name: 'write', prompt_template: 'Write.', agent_id: agentId }];

/** What neither a new workflow nor a changed one gets. */
const GIVEN = [
  { what: 'an unknown agent', fields: () => ({ agent_id: randomUUID() }), refusal: NO_AGENT },
  { what: 'an agent that the user may not use', fields: () => ({ agent_id: agentIds[1] }), refusal: NO_AGENT },
  { what: 'such an agent in a step', fields: () => ({ steps: stepOf(agentIds[1]) }), refusal: NO_AGENT },
  { what: 'a faulty cron line', fields: () => ({ cron_expr: '60 * * * *' }), refusal: invalid('the minute "60"') },
  { what: 'an unknown time zone', fields: () => ({ timezone: 'Mars/Base' }), refusal: invalid('IANA time zone') },
  { what: 'no prompt', fields: () => ({ prompt_template: ' ' }), refusal: invalid('needs a prompt_template') },
].flatMap((rest) => (['a request', 'the operation'] as const).map((entry) => ({ entry, ...rest })));

describe('a workflow', () => {
  test.each(GIVEN)('does not get $what from $entry', async ({ entry, fields, refusal }) => {
    const id = await addWorkflow();
    const before = (await owner.client.get<object>(`/api/workflows/${id}`)).json;
    await allow([agentIds[0]]);
    expect(await CHANGES[entry].add(fields())).toEqual(refusal);
    expect(await CHANGES[entry].change(id, fields())).toEqual(refusal);
    expect((await owner.client.get<object>(`/api/workflows/${id}`)).json).toEqual(before);
  });

  test.each(['a request', 'the operation'] as const)(
    'is not activated by %s without times, nor where the user may not use its agent',
    async (entry) => {
      const id = await addWorkflow({ trigger_type: 'schedule' });
      expect(await CHANGES[entry].activate(id)).toEqual(invalid('is required, or interval_minutes'));
      await allow([agentIds[1]]);
      expect(await CHANGES[entry].activate(id)).toEqual(['not_found', 'Workflow not found']);
      expect(await CHANGES[entry].change(id, { prompt_template: 'Ours' })).toEqual(['not_found', 'Workflow not found']);
    },
  );

  test.each(['a request', 'the operation'] as const)(
    'is compared by %s with what another change has stored meanwhile',
    async (entry) => {
      const { database } = served.api;
      const id = await addWorkflow();
      await allow([agentIds[0]]);
      const { change } = await withOrgTransaction(database, owner.orgId, async (em) => {
        await em.execute('update agent_workflows set agent_id = ? where id = ?', [agentIds[1], id]);
        const changing = CHANGES[entry].change(id, { prompt_template: 'Ours' });
        const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
        const count = async () => (await database.system.query(waiting)).rowCount;
        await waitUntil('the change to wait', async () => (await count()) || undefined);
        return { change: changing };
      });
      expect(await change).toEqual(['not_found', 'Workflow not found']);
    },
  );

  test('is not added where there is no room for more', async () => {
    const id = await addWorkflow();
    await served.api.database.system.query(
      `insert into agent_workflows select (jsonb_populate_record(w, jsonb_build_object('id', gen_random_uuid()))).*
        from agent_workflows w, generate_series(1, 1000) where w.id = $1`,
      [id],
    );
    const refused = [await CHANGES['a request'].add({}), await CHANGES['the operation'].add({})];
    await served.api.database.system.query('delete from agent_workflows where org_id = $1', [owner.orgId]);
    for (const refusal of refused) expect(refusal).toEqual(['conflict', expect.stringContaining('workflows')]);
  });
});
