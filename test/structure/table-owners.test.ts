import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * For each table without an entity the folder or file of `db` that alone writes it. The folder or file of an
 * entity owns its table.
 */
const OWNERS_WITHOUT_ENTITY: Readonly<Record<string, string>> = {
  agent_memories: 'memories',
  approval_messages: 'notifications',
  approvals: 'approvals',
  audit_log: 'audit',
  audit_log_records: 'audit',
  changed_messages: 'search',
  channel_events: 'channels',
  channel_threads: 'channels',
  chat_file_chunks: 'files',
  chat_file_texts: 'files',
  chat_file_usage: 'files',
  chat_files: 'files',
  chats: 'chats',
  completions: 'completions',
  definition_files: 'definitions',
  definition_versions: 'definitions',
  device_tokens: 'device-tokens',
  host_deliveries: 'issue-sync',
  installation: 'installation',
  integration_revocations: 'integrations',
  integration_sign_ins: 'integrations',
  invites: 'invites',
  issue_comments: 'issues',
  issue_labels: 'issues',
  issue_pushes: 'issue-pushes',
  issue_words: 'issues',
  knowledge_bases: 'knowledge-bases',
  knowledge_documents: 'knowledge-bases',
  knowledge_passages: 'knowledge-bases',
  knowledge_queries: 'knowledge-bases',
  knowledge_vectors: 'knowledge-bases',
  knowledge_words: 'knowledge-bases',
  known_addresses: 'passwords',
  mcp_sign_ins: 'mcp-servers',
  memberships: 'orgs',
  marketplace_indexes: 'marketplace',
  marketplace_installs: 'marketplace',
  marketplace_items: 'marketplace',
  message_size_changes: 'chats',
  message_words: 'search',
  messages: 'chats',
  model_steps: 'turns',
  org_usage: 'chats',
  orgs: 'orgs',
  password_links: 'passwords',
  permission_group_members: 'permissions',
  project_agents: 'projects',
  project_logs: 'project-logs',
  project_syncs: 'issue-sync',
  provider_account_uses: 'providers',
  provider_sign_ins: 'providers',
  purged_orgs: 'orgs',
  push_subscriptions: 'push-subscriptions',
  rate_limits: 'passwords',
  remote_comments: 'issue-sync',
  remote_issues: 'issue-sync',
  removed_files: 'files',
  repo_trees: 'repo-trees',
  retired_api_keys: 'api-keys',
  run_destinations: 'destinations',
  run_signatures: 'agent-workflows',
  search_progress: 'search',
  sessions: 'sessions',
  shared_message_words: 'search',
  shared_word_owners: 'search',
  sync_marks: 'issue-sync',
  task_dependencies: 'tasks',
  tasks: 'tasks',
  token_usage: 'turns',
  token_usage_hours: 'turns',
  tool_calls: 'turns',
  tool_test_runs: 'tool-test-runs',
  turn_events: 'stream',
  turns: 'turns',
  usage_count: 'chats',
  usage_totals: 'turns',
  user_passwords: 'passwords',
  users: 'users',
  webhook_deliveries: 'webhooks',
  webhook_targets: 'webhooks',
  word_owners: 'search',
  workers: 'workers',
  workflow_runs: 'agent-workflows',
  work_usage: 'work-usage',
  work_usage_changes: 'work-usage',
  workspace_contents: 'workspaces',
  workspace_entries: 'workspaces',
  workspace_chunks: 'workspaces',
  workspace_usage: 'chats',
  workspaces: 'workspaces',
};

/** Who else may write a table, and why. */
const ALSO: readonly (readonly [table: string, folder: string, because: string])[] = [
  ['approvals', 'turns', 'the wait for a decision is stored with its call, and ends with the turn'],
  ['approvals', 'agent-workflows', 'the wait before a step is stored, decided and ended with the move of its run'],
  ['chats', 'turns', 'a turn is accepted, stored and finished by one statement each, which touches its chat'],
  ['tasks', 'turns', "a sub-agent's task is stored with its turn, and every task begins and ends with one"],
  [
    'issues',
    'turns',
    'an issue is moved when an attempt at the task that was made from it begins or ends, with its turn',
  ],
  [
    'issue_comments',
    'turns',
    "a task's result becomes a comment on its issue, stored by the statement that ends its turn",
  ],
  ['workflow_runs', 'turns', 'a run moves on with the statement that begins or ends the turn of its step'],
  ['workflow_runs', 'chats', 'a run that waits in a chat ends when that is deleted'],
  ['schedules', 'agent-workflows', 'a run that fails pauses its schedule, and the runs of both are purged alike'],
  ['token_usage', 'chats', 'what was spent is removed in batches with the chats of a deleted organization'],
  ['usage_totals', 'chats', 'they are removed in batches with the chats of a deleted organization'],
  ['messages', 'turns', 'a turn begins and ends with a message, stored by the statement that stores the turn'],
];

interface Write {
  readonly file: string;
  readonly table: string;
}

const sources = globSync('{api,activities,builtin,db,domain,files,worker,workflows}/**/*.ts', { cwd: root })
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => ({ file, text: readFileSync(`${root}${file}`, 'utf8') }));
const schema = globSync('db/{schema,migrations}/*.sql', { cwd: root }).map((file) =>
  readFileSync(`${root}${file}`, 'utf8'),
);
const tables = schema.flatMap((text) => namesIn(text, /create (?:unlogged )?table (?<name>\w+)/g));

const entities = sources
  .filter(({ text }) => text.includes('defineEntity({'))
  .map(({ file, text }) => ({
    name: namesIn(text, /class (?<name>\w+) extends schema/g)[0] ?? '',
    table: namesIn(text, /tableName: '(?<name>\w+)'/g)[0] ?? '',
    folder: file.replace(/\.ts$/, '').split('/')[1] ?? '',
  }));
const tableOf = new Map(entities.map(({ name, table }) => [name, table]));

const OWNERS: Readonly<Record<string, string>> = {
  ...OWNERS_WITHOUT_ENTITY,
  ...Object.fromEntries(entities.map(({ table, folder }) => [table, folder])),
};

function namesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(({ groups }) => groups?.['name'] ?? '');
}

/** The tables that a file writes: in SQL, through entities, and by `purgeRows`. */
function writtenBy(text: string): string[] {
  const inSql = namesIn(text, /\b(?:insert\s+into|delete\s+from|update)\s+(?<name>[a-z_]+)\b/gi);
  const purged = namesIn(text, /\bpurgeRows\(\w+,\s*'(?<name>\w+)'/g);
  const byEntity = namesIn(
    text,
    /\bem\.(?:create|insert|insertMany|upsert|upsertMany|nativeInsert|nativeUpdate|nativeDelete)\(\s*(?<name>[A-Z]\w*)/g,
  );
  return [
    ...inSql.filter((name) => tables.includes(name)),
    ...purged,
    ...byEntity.map((name) => tableOf.get(name) ?? name),
  ];
}

const writes: readonly Write[] = sources.flatMap(({ file, text }) => writtenBy(text).map((table) => ({ file, table })));

function mayWrite({ file, table }: Write): boolean {
  const [layer, folder] = file.replace(/\.ts$/, '').split('/');
  if (layer !== 'db') return false;
  return OWNERS[table] === folder || ALSO.some(([other, also]) => other === table && also === folder);
}

describe('a table', () => {
  test('has one folder or file that owns it', () => {
    expect(Object.keys(OWNERS).toSorted()).toEqual(tables.toSorted());
    for (const folder of Object.values(OWNERS))
      expect([folder, existsSync(`${root}db/${folder}`) || existsSync(`${root}db/${folder}.ts`)]).toEqual([
        folder,
        true,
      ]);
  });

  test('is written by its owner only', () => {
    expect(writes.filter((write) => !mayWrite(write))).toEqual([]);
  });

  test('is written by whom it is said that they write it', () => {
    const found = new Set(writes.map(({ file, table }) => `${table} by ${file.split('/')[1]}`));
    const said = ALSO.map(([table, folder]) => `${table} by ${folder}`);
    expect(said.filter((each) => !found.has(each))).toEqual([]);
  });

  test('is named by the statement that writes it', () => {
    const nameless = sources.filter(({ text }) => /\b(?:insert\s+into|delete\s+from|update)\s+\$\{/i.test(text));
    // The second changes how secrets are encrypted, whatever they are.
    const files = nameless.map(({ file }) => file).toSorted();
    expect(files).toEqual(['db/records/records.ts', 'db/secrets.ts']);
  });

  test.each([
    ['`delete from sessions where id = $1`', 'sessions'],
    ['with c as (update turns t set status = $1)', 'turns'],
    ['insert\n  into users (id)', 'users'],
    ['em.nativeDelete(ApiKey, { id })', 'api_keys'],
    ["purgeRows(database, 'sessions', 'true')", 'sessions'],
  ])('is found in %j', (text, table) => {
    expect(writtenBy(text)).toEqual([table]);
  });
});
