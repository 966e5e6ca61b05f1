import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { randomBytes, randomUUID } from 'node:crypto';
import { startChatOf } from '../../db/completions.ts';
import { openThread } from '../../db/channels/threads.ts';
import { takeChannelEvent } from '../../db/channels/events.ts';
import { noteWorkspace } from '../../db/chats/usage.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { enterMessages } from '../../db/search/enter-messages.ts';
import { beginReading, takeStep } from '../../db/issue-sync/sync-progress.ts';
import { takeDelivery } from '../../db/issue-sync/deliveries.ts';
import { storeFileText } from '../../db/files/texts.ts';
import { beginReading as beginDocument } from '../../db/knowledge-bases/documents.ts';
import { createQuery } from '../../db/knowledge-bases/search/queries.ts';
import { storePassages } from '../../db/knowledge-bases/store-passages.ts';
import { storeVectors } from '../../db/knowledge-bases/embedding.ts';
import { beginMcpSignIn } from '../../db/mcp-servers/sign-ins.ts';
import { claimApprovalMessage } from '../../db/notifications/approval-messages.ts';
import { createTestRun } from '../../db/tool-test-runs.ts';
import { acceptMessage } from '../../db/turns/accept-message.ts';
import { claimTurn } from '../../db/turns/claim/claim-turn.ts';
import { storeStep } from '../../db/turns/steps/store-step.ts';
import { beginContent, storeContentChunk } from '../../db/workspaces/contents.ts';
import { countWorkUsage } from '../../db/work-usage.ts';
import { packVector } from '../../domain/embeddings.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';
import { RESOURCE_OF_ID } from '../../domain/resources.ts';
import { countAllUsage } from '../support/count-all-usage.ts';
import { registerUser, type TestUser } from '../support/factories.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { canMake, makeIds } from './make-records.ts';
import { registerManaged } from '../support/people.ts';
import { storeWorkspaceFile } from '../support/stored-workspace.ts';
import { usageOf } from '../support/step-usage.ts';

const served = serveTestApi();
let owner: TestUser;
let stranger: TestUser;
let connection: pg.Client;

beforeAll(async () => {
  owner = await registerUser(served.url);
  stranger = await registerUser(served.url);
  // Records of all resources that have some, and then what comes of requests and turns.
  const names = Object.keys(RESOURCE_OF_ID).filter((name) => name !== 'org_id' && canMake(name));
  const ids = await makeIds({ path: `/{${names.join('}/{')}}` }, served.api, owner);
  await owner.client.post(`/api/users/me/api-keys/${ids['key_id']}/rotate`);
  await owner.client.send('PUT', `/api/skills/${ids['skill_id']}/files/notes.md`, { content: 'a note' });
  await owner.client.post('/api/marketplace/socratic-tutor/install');
  const members = { user_ids: [owner.id] };
  await owner.client.send('PUT', `/api/permissions/groups/${ids['group_id']}/members`, members);
  const managed = await registerManaged(served.api, owner, 'member');
  await owner.client.post(`/api/orgs/${owner.orgId}/members/${managed.id}/password-link`);
  const { database } = served.api;
  const chatId = ids['chat_id'] ?? '';
  const work = { agent_ids: [ids['agent_id']] };
  await owner.client.send('PUT', `/api/projects/${ids['project_id']}/agents`, work);
  await owner.client.patch(`/api/issues/${ids['issue_id']}`, { labels: ['a label'] });
  await owner.client.patch(`/api/projects/${ids['project_id']}`, {
    webhook_secret: 'a secret',
    repo_url: 'https://github.com/example/website',
  });
  const deliveries = [{ destination_id: ids['destination_id'] }];
  await owner.client.patch(`/api/workflows/${ids['workflow_id']}`, { deliveries });
  const sharedId = await sharedChat(ids);
  await makeIds({ path: '/{message_id}' }, served.api, owner, { known: { chat_id: sharedId } });
  await delegate(sharedId, ids['agent_id'] ?? '');
  await countWorkUsage(database);
  await owner.client.post('/api/tasks', { chat_id: chatId, title: 'After it', depends_on: [ids['task_id']] });
  await countAllUsage(database);
  await enterMessages(database);
  await noteWorkspace(database, { orgId: owner.orgId, chatId }, 1);
  await storeWorkspaceFile(database, { orgId: owner.orgId, chatId }, { path: 'a' });
  const content = { id: randomUUID(), store: 'postgres' };
  await beginContent(database, { orgId: owner.orgId, chatId }, content);
  await storeContentChunk(database, { orgId: owner.orgId, fileId: content.id, seq: 0 }, Buffer.from('x'));
  const signIn = { orgId: owner.orgId, serverId: ids['mcp_id'] ?? '', userId: owner.id };
  await beginMcpSignIn(database, signIn, 'https://everturn.example.com/mcp-sign-in');
  await signInWithIntegration();
  await useProgramOfVendor(ids['provider_id'] ?? '');
  const file = { orgId: owner.orgId, fileId: ids['file_id'] ?? '' };
  await storeFileText(database, file, { text: 'a text', isApart: false });
  await database.tenant.query(owner.orgId, {
    text: "insert into removed_files (file_id, org_id, store) values ($1, $2, 's3')",
    values: [randomUUID(), owner.orgId],
  });
  await database.tenant.query(owner.orgId, {
    text: `insert into run_signatures (workflow_id, signature, run_id, org_id)
      select workflow_id, 'a signature', id, org_id from workflow_runs where workflow_id is not null`,
    values: [],
  });
  const { knowledge_base_id: knowledgeBaseId = '', document_id: documentId = '' } = ids;
  const document = { orgId: owner.orgId, knowledgeBaseId, documentId };
  await beginDocument(database, document);
  await storePassages(database, document, 'a text', parseOrgLimits(''));
  const vectors = [{ documentId, seq: 0, packed: packVector([1]) }];
  await storeVectors(database, { ...document, version: 1 }, { vectors, tokens: 1, cost: null });
  const targets = [{ model: 'openai/small', knowledgeBaseId }];
  await createQuery(database, owner.orgId, { query: 'a query', targets });
  await syncIssues(ids);
  const conversation = { id: randomUUID(), digest: randomBytes(32), idempotencyKey: undefined, title: 'New', past: [] };
  const agentId = ids['agent_id'] ?? '';
  await startChatOf(database, { orgId: owner.orgId, userId: owner.id }, { ...conversation, agentId, maxChats: 1_000 });
  await createTestRun(database, owner.orgId, { userId: owner.id, toolKey: 'any', arguments: {} });
  await changeWaitingMessage(agentId);
  await writeInThread(ids);
  await askInChannel(ids);
});

/** Has something written to an agent in a thread of a channel. */
async function writeInThread({ channel_id: channelId = '', agent_id: agentId = '' }: Readonly<Record<string, string>>) {
  const { database } = served.api;
  const { orgId, id: userId } = owner;
  const message = { channel: 'C1', thread: '1.1', sender: 'U1', team: 'T1', text: 'Hello' };
  await takeChannelEvent(database, { orgId, channelId }, { id: 'Ev1', message, maxBytes: 1_000 });
  const opened = { ...message, orgId, channelId, userId, agentId, maxChats: 1_000 };
  await withOrgTransaction(database, orgId, async (em) => openThread(em, opened));
}

/** Has a member asked for a decision in a channel. */
async function askInChannel({
  approval_id: approvalId = '',
  channel_id: channelId = '',
}: Readonly<Record<string, string>>) {
  const { database } = served.api;
  const targetId = randomUUID();
  await database.tenant.query(owner.orgId, {
    text: 'insert into webhook_targets (id, org_id, member_id, channel_id) values ($1, $2, $3, $4)',
    values: [targetId, owner.orgId, owner.id, channelId],
  });
  const person = { person: 'U1', email: null, team: 'T1', apiUrl: 'https://slack.com/api', connection: randomUUID() };
  expect(await claimApprovalMessage(database, owner.orgId, { ...person, approvalId, targetId })).toBe(true);
}

/** Changes a message that waits for its answer. */
async function changeWaitingMessage(agentId: string) {
  const { json: chat } = await owner.client.post<{ id: string }>('/api/chats', { agent_id: agentId });
  const message = { chatId: chat.id, content: 'first', clientMessageId: undefined };
  const { messageId } = await acceptMessage(served.api.database, { orgId: owner.orgId, userId: owner.id }, message);
  const { status } = await owner.client.patch(`/api/chats/${chat.id}/messages/${messageId}`, { content: 'second' });
  expect(status).toBe(200);
}

/** Begins to sign in at a provider, and uses an account of one. */
async function useProgramOfVendor(accountId: string) {
  const { tenant } = served.api.database;
  await tenant.query(owner.orgId, {
    text: `insert into provider_sign_ins (id, org_id, user_id, provider_type, account_name)
      values ($1, $2, $3, 'claude-code', 'Mine')`,
    values: [randomUUID(), owner.orgId, owner.id],
  });
  await tenant.query(owner.orgId, {
    text: 'insert into provider_account_uses (account_id, org_id, holder, until) values ($1, $2, $3, now())',
    values: [accountId, owner.orgId, randomUUID()],
  });
}

/** Begins to sign in with an integration, and keeps the grant of another one that is gone. */
async function signInWithIntegration() {
  const credentials = { client_id: 'a-client', client_secret: 'a-sample-secret' };
  const integration = { kind: 'github', name: 'Signed in', credentials };
  const { json } = await owner.client.post<{ id: string }>('/api/integrations', integration);
  await owner.client.post(`/api/integrations/${json.id}/oauth/start`, {});
  await served.api.database.tenant.query(owner.orgId, {
    text: "insert into integration_revocations (id, org_id, kind, sealed) values ($1, $2, 'github', '')",
    values: [randomUUID(), owner.orgId],
  });
}

/** Takes over an issue and a comment that a code host tells of. */
async function syncIssues({ project_id: projectId = '', sync_id: syncId = '' }: Readonly<Record<string, string>>) {
  const { database } = served.api;
  const { orgId } = owner;
  const [createdAt, host] = [new Date(), 'github.com'];
  const fields = { externalId: '1', author: null, url: null, createdAt, updatedAt: createdAt };
  const issue = { ...fields, number: 1, title: 'One', description: '', labels: [], hasComments: true };
  const comment = { ...fields, issueNumber: 1, content: 'A comment.' };
  const event = { issue: { ...issue, state: 'open' as const }, comment };
  const limits = parseOrgLimits('');
  await takeDelivery(database, { orgId, projectId, host, repoId: '1' }, { deliveryIds: ['a-delivery'], event, limits });
  await owner.client.patch(`/api/projects/${projectId}`, { sync_direction: 'both' });
  const { json } = await owner.client.get<{ id: string }[]>(`/api/issues?project_id=${projectId}&q=One`);
  await owner.client.patch(`/api/issues/${json[0]?.id}`, { title: 'Two' });
  const sync = { orgId, projectId, syncId };
  const repository = { host, repoUrl: 'https://github.com/example/website', repoId: '1', hostTime: createdAt };
  await takeStep(database, sync, { from: { phase: 'begin' }, to: { phase: 'end' } }, async (em) => {
    await beginReading(em, sync, repository);
    return {};
  });
}

/** Starts a chat in a project; answers its id. */
async function sharedChat(ids: Readonly<Record<string, string>>): Promise<string> {
  const chat = { agent_id: ids['agent_id'], project_id: ids['project_id'] };
  return (await owner.client.post<{ id: string }>('/api/chats', chat)).json.id;
}

/** Takes the first step of the chat's turn, one that hands work to a sub-agent. */
async function delegate(chatId: string, agentId: string): Promise<void> {
  const { database } = served.api;
  const turn = await claimTurn(database, { orgId: owner.orgId, chatId });
  const ref = { orgId: owner.orgId, turnId: turn?.id ?? '', attempt: turn?.attempt ?? 0, step: turn?.step ?? 0 };
  const delegation = { agentId, title: 'work', message: 'work', timeLimitSeconds: 60, modelTags: null };
  const call = { id: randomUUID(), name: 'agent_spawn', label: 'work', arguments: {}, outcome: undefined, delegation };
  const usage = usageOf({ model: 'scripted-1' });
  const calls = [{ ...call, effect: 'agent' as const }];
  await storeStep(database, ref, { text: '', rawText: null, state: null, usage, calls });
}

/** Every table that has rows of organizations. */
async function tenantTables(): Promise<string[]> {
  const { rows } = await connection.query<{ name: string }>(
    "select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'org_id' order by 1",
  );
  return rows.map(({ name }) => name);
}

/** How many rows of each tenant table a connection sees that works for `orgId`. */
async function visibleRows(orgId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  await connection.query("select set_config('app.org_id', $1, false)", [orgId]);
  for (const table of await tenantTables()) {
    const { rows } = await connection.query<{ count: number }>(`select count(*)::int as count from ${table}`);
    counts[table] = rows[0]?.count ?? -1;
  }
  return counts;
}

/** How many rows a statement has changed; none when the service may not do such a thing at all. */
async function changedBy(statement: string, values: readonly string[]): Promise<number | null> {
  try {
    return (await connection.query(statement, [...values])).rowCount;
  } catch (error) {
    if (String(error).includes('permission denied for table audit_log')) return 0;
    throw error;
  }
}

/** What nobody sees who works for an organization, and that it is there. */
const SYSTEM_TABLES = ['known_addresses', 'sessions', 'user_passwords'];

describe('row-level security', () => {
  beforeAll(async () => {
    // The service's own login, with no settings: what a forgotten filter in a statement would run with.
    connection = new pg.Client({ connectionString: served.api.database.url });
    await connection.connect();
  });
  afterAll(async () => connection.end());

  test('is forced, with a policy for reading and writing, on every table that has an org_id', async () => {
    const { rows } = await connection.query<{ name: string }>(
      `select relname as name from pg_class c join pg_policies p on p.tablename = c.relname and p.cmd = 'ALL'
        where c.relnamespace = 'public'::regnamespace and c.relrowsecurity and c.relforcerowsecurity
          and p.qual like '%app.org_id%' and p.with_check like '%app.org_id%' order by 1`,
    );
    const tables = await tenantTables();
    expect(tables.length).toBeGreaterThan(5);
    expect(rows.map(({ name }) => name)).toEqual([...tables, 'orgs'].toSorted());
  });

  test('leaves no table out but those that contain nothing of one organization and nothing secret', async () => {
    const { rows } = await connection.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
        and not (relrowsecurity and relforcerowsecurity) order by 1`,
    );
    expect(rows.map(({ name }) => name)).toEqual(['rate_limits', 'schema_migrations', 'users']);
  });

  test('binds the role that the service connects with', async () => {
    const { rows } = await connection.query(
      'select rolsuper or rolbypassrls as "isFree" from pg_roles where rolname = current_user',
    );
    expect(rows).toEqual([{ isFree: false }]);
  });

  test('shows an organization its own rows', async () => {
    const counts = await visibleRows(owner.orgId);
    // Rows of these come only while an answer streams.
    const { turn_events: _events, ...filled } = counts;
    expect(Object.entries(filled).filter(([, count]) => count === 0)).toEqual([]);
  });

  test.each([
    ['another organization', () => stranger.orgId],
    ['no organization', () => ''],
  ])('shows nothing of them to %s', async (_who, orgId) => {
    const expected = { ...(await visibleRows(owner.orgId)) };
    for (const table of Object.keys(expected)) expected[table] = 0;
    const counts = await visibleRows(orgId());
    // Everybody who registers is a member of an organization of their own, whose log says so.
    expect({ ...counts, memberships: 0, audit_log: 0, audit_log_records: 0 }).toEqual(expected);
    for (const table of ['memberships', 'audit_log', 'audit_log_records']) {
      const { rows } = await connection.query(`select 1 from ${table} where org_id = $1`, [owner.orgId]);
      expect([table, rows]).toEqual([table, []]);
    }
  });

  test('shows passwords and sessions to no organization, not even its own members’, nor lets it change them', async () => {
    await connection.query("select set_config('app.org_id', $1, false)", [owner.orgId]);
    for (const table of SYSTEM_TABLES) {
      const { rows: all } = await served.api.database.system.query(`select 1 from ${table}`);
      const { rows: seen } = await connection.query(`select * from ${table}`);
      const statements = [`delete from ${table}`, `update ${table} set user_id = user_id`];
      const changed = [];
      for (const statement of statements) changed.push((await connection.query(statement)).rowCount);
      expect([table, all.length > 1, seen, changed]).toEqual([table, true, [], [0, 0]]);
    }
    const insert = connection.query(
      "insert into user_passwords (user_id, hash) values ($1, 'x') on conflict do nothing",
      [stranger.id],
    );
    await expect(insert).rejects.toThrow('row-level security');
  });

  test('shows an organization itself, and no other', async () => {
    await connection.query("select set_config('app.org_id', $1, false)", [owner.orgId]);
    expect((await connection.query('select id from orgs')).rows).toEqual([{ id: owner.orgId }]);
    const renamed = await connection.query("update orgs set name = 'x' where id = $1", [stranger.orgId]);
    expect(renamed.rowCount).toBe(0);
  });

  test('lets a connection of another organization change, move and add nothing', async () => {
    await connection.query("select set_config('app.org_id', $1, false)", [stranger.orgId]);
    for (const table of await tenantTables()) {
      const deleted = await changedBy(`delete from ${table} where org_id = $1`, [owner.orgId]);
      const moved = await changedBy(`update ${table} set org_id = $1 where org_id = $2`, [stranger.orgId, owner.orgId]);
      expect([table, deleted, moved]).toEqual([table, 0, 0]);
    }
    const insert = connection.query("insert into memberships (org_id, user_id, role) values ($1, $2, 'owner')", [
      owner.orgId,
      stranger.id,
    ]);
    await expect(insert).rejects.toThrow('row-level security');
  });
});
