import { v7 as uuidv7 } from 'uuid';
import { APPROVAL_ACTIONS, type AuditEntry, type AuditOutcome, BY_AGENT } from '../domain/audit.ts';
import type { Database } from './core/database.ts';
import { type Listed, type Page, readPage } from './core/page.ts';
import type { Transaction } from './core/transactions.ts';
import { firstIdAt, NEW_ID } from './core/sql.ts';
import { userName } from './records/records.ts';
import { type ResourceKey, resourceOf } from '../domain/resources.ts';

/** An entry whose caller may be known by their credential only. */
export interface NewAuditEntry extends AuditEntry {
  /** The public part of a rejected API key. */
  readonly apiKeyPublicId: string | undefined;
}

/**
 * Stores each entry exactly once, however often it is given, on `database.system` or in a transaction of it. Returns
 * the ids of entries without an organization: their actor is unknown, or belongs to none.
 */
export async function recordAuditEntries(
  { system }: { readonly system: Transaction },
  entries: readonly NewAuditEntry[],
): Promise<string[]> {
  const { rows } = await system.query<{ id: string }>({
    name: 'record-audit-entries',
    text: RECORD,
    values: [JSON.stringify(entries)],
  });
  return rows.map(({ id }) => id);
}

/** Something that no request of its own has asked for: an agent did it, or the operator. */
interface Act
  extends
    Pick<AuditEntry, 'actorId' | 'orgId' | 'recordId' | 'ip'>,
    Partial<Pick<AuditEntry, 'id' | 'relatedIds' | 'fields'>> {
  readonly action: `${string}.${string}`;
}

/** Stores an entry for each act, exactly once per id if it has one. */
export async function recordActs(database: { readonly system: Transaction }, acts: readonly Act[]): Promise<void> {
  const entries = acts.map(({ id = uuidv7(), relatedIds = [], fields = [], ...act }) => ({
    ...act,
    id,
    createdAt: new Date(),
    recordType: act.action.slice(0, act.action.indexOf('.')),
    relatedIds,
    fields,
    outcome: 'success' as const,
    status: 200,
    attempts: 1,
    sessionId: undefined,
    apiKeyId: undefined,
    apiKeyPublicId: undefined,
  }));
  await recordAuditEntries(database, entries);
}

// An entry of a deleted organization goes to the organization that is active for its actor now. Organizations are taken
// in order, because each is locked against its removal. The first part is materialized because PostgreSQL searches the
// index of a table with row-level security for a column, but not for a `coalesce`, which might leak its arguments.
const RECORD = `
  with given as materialized (
    select e.*, coalesce(e."actorId", s.user_id, k.user_id, r.user_id) as actor,
      coalesce(e."apiKeyId", k.id, r.api_key_id) as key, coalesce(e."orgId", k.org_id, r.org_id) as org
    from jsonb_to_recordset($1::jsonb) as e(
      id uuid, "createdAt" timestamptz, "actorId" uuid, "orgId" uuid, "sessionId" uuid, "apiKeyId" uuid,
      "apiKeyPublicId" text, action text, "recordType" text, "recordId" uuid, "relatedIds" jsonb, fields jsonb,
      outcome text, status int, ip text, attempts int
    )
    left join sessions s on s.id = e."sessionId" and e."actorId" is null
    left join api_keys k on k.public_id = e."apiKeyPublicId" and e."actorId" is null
    left join retired_api_keys r on r.public_id = e."apiKeyPublicId" and e."actorId" is null
  ), resolved as (
    select given.*, coalesce(
      (select id from orgs where orgs.id = given.org and deleted_at is null),
      (select m.org_id from users u join memberships m on m.user_id = u.id and m.org_id = u.active_org_id where u.id = actor),
      (select m.org_id from memberships m where m.user_id = actor order by m.created_at, m.org_id limit 1)
    ) as log_org
    from given
  ), stored as (
    insert into audit_log (id, org_id, actor_id, session_id, api_key_id, action, record_type, record_id, related_ids,
      fields, outcome, status, ip, attempts, created_at)
    select id, log_org, actor, "sessionId", key, action, "recordType", "recordId",
      array(select value::uuid from jsonb_array_elements_text("relatedIds")),
      array(select value from jsonb_array_elements_text(fields)),
      outcome, status, ip, attempts, "createdAt"
    from resolved where log_org is not null and actor is not null order by log_org, id
    on conflict (id) do nothing
    returning id, org_id, record_id, related_ids
  ), named as (
    insert into audit_log_records (org_id, record_id, entry_id)
    select distinct org_id, named_id, id from stored, unnest(array_append(related_ids, record_id)) as named_id
    where named_id is not null
  )
  select id from resolved where log_org is null or actor is null`;

/** An action on approvals that happens by time alone. */
interface TimedAction {
  readonly action: 'remind' | 'escalate' | 'expire';
  /** The part of the statement that has their rows, as `d`. */
  readonly source: string;
  /** The `fields` of the entry, in SQL. */
  readonly fields?: string;
  /** The id of another record that it names beside the agent, in SQL. */
  readonly related?: string;
}

/**
 * Returns parts of a statement that record what has happened to approvals, in the name of the user for whom their agent
 * works. They commit with it, so no entry is lost.
 */
function auditApprovals({ action, source, fields = "'{}'::text[]", related = 'null' }: TimedAction): string {
  return `${action}_entries as (
    insert into audit_log (id, org_id, actor_id, action, record_type, record_id, related_ids, fields, outcome, status, ip,
      attempts, created_at)
    select ${NEW_ID}, d.org_id, c.user_id, '${APPROVAL_ACTIONS[action]}', 'approvals', d.id,
      array_remove(array[case when d.agent_id is null then c.agent_id else d.agent_id end, ${related}], null), ${fields}, 'success', 200, '${BY_AGENT}', 1, now()
    from ${source} join chats c on c.id = d.chat_id
    returning id, org_id, record_id, related_ids
  ),
  named_${action}_entries as (
    insert into audit_log_records (org_id, record_id, entry_id)
    select org_id, named_id, id from ${action}_entries, unnest(array_append(related_ids, record_id)) as named_id
    where named_id is not null
  )`;
}

/** Parts of a statement that record each approval of its part `decided` that has expired. */
export const AUDIT_EXPIRED = auditApprovals({
  action: 'expire',
  source: "(select * from decided where status = 'expired') d",
  fields: "case when d.default_answer is null then '{}'::text[] else '{answer}' end",
});

/** Parts of a statement that record each approval of its part `reminded`. */
export const AUDIT_REMINDED = auditApprovals({ action: 'remind', source: 'reminded d' });

/**
 * Parts of a statement that record each approval of its part `escalated`: by which setting it was, with the member that
 * this names, who may have been passed over.
 */
export const AUDIT_ESCALATED = auditApprovals({
  action: 'escalate',
  source: 'escalated d',
  fields: `array[case when d.escalated_user_id is null then 'approvals_escalation_role'
    else 'approvals_escalation_user_id' end]`,
  related: 'case when d.escalated_user_id is null then d.passed_over_id else d.escalated_user_id end',
});

/** An entry of an organization's audit log. */
interface StoredAuditEntry extends Omit<AuditEntry, 'actorId' | 'orgId' | 'sessionId' | 'apiKeyId' | 'recordId'> {
  readonly actorId: string;
  /** Null when the account is gone. */
  readonly actorEmail: string | null;
  readonly sessionId: string | null;
  readonly apiKeyId: string | null;
  readonly recordId: string | null;
  /** Null for records that are gone, and for those that have no name. Private records have one, too. */
  readonly recordName: string | null;
  /** Whether the record is gone, or in the trash; null when there is none, or its type has no names. */
  readonly recordDeleted: boolean | null;
}

interface EntryRow extends Omit<StoredAuditEntry, 'recordName' | 'recordDeleted'> {
  /** The name of the record, and whether it is in the trash; null when it is gone. */
  readonly record: readonly [name: string | null, isInTrash: boolean] | null;
}

/** Filters of the audit log; an entry has to match all that are set. */
interface AuditFilter {
  readonly actorId?: string | undefined;
  readonly action?: string | undefined;
  readonly recordType?: string | undefined;
  /** The record itself, or one that the request names beside it. */
  readonly recordId?: string | undefined;
  readonly outcome?: AuditOutcome | undefined;
  /** Inclusive. */
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly to?: Date | undefined;
}

/** The highest number of entries that is counted: a log of years is not scanned for each page. */
export const MAX_COUNTED_ENTRIES = 10_000;

/** The records that have names, by the type of record. */
const NAMED: Readonly<Partial<Record<ResourceKey, string>>> = {
  agents: 'agents',
  channels: 'channels',
  destinations: 'destinations',
  integrations: 'integrations',
  invites: "(select id, coalesce(email, nullif(full_name, '')) as name from invites)",
  issue_comments: '(select c.id, i.title as name from issue_comments c join issues i on i.id = c.issue_id)',
  issues: '(select id, title as name from issues)',
  knowledge_bases: 'knowledge_bases',
  knowledge_documents: '(select id, title as name from knowledge_documents)',
  mcp_servers: 'mcp_servers',
  members: `(
      select u.id, ${userName('u')} as name from users u join memberships m on m.user_id = u.id where m.org_id = a.org_id
    )`,
  memories: '(select m.id, g.name from agent_memories m join agents g on g.id = m.agent_id)',
  model_profiles: 'model_profiles',
  permission_groups: 'permission_groups',
  personas: 'definitions',
  project_syncs: '(select s.id, p.name from project_syncs s join projects p on p.id = s.project_id)',
  projects: 'projects',
  provider_chains: 'provider_chains',
  providers: '(select id, name, deleted_at from provider_accounts where not is_tentative)',
  schedule_runs: '(select r.id, s.name from workflow_runs r join schedules s on s.id = r.schedule_id)',
  schedules: 'schedules',
  skills: 'definitions',
  tools: 'definitions',
  workflow_runs: '(select r.id, w.name from workflow_runs r join agent_workflows w on w.id = r.workflow_id)',
  workflows: 'agent_workflows',
};

const NAMED_TYPES = Object.keys(NAMED) as (keyof typeof NAMED)[];

const NAME_OF_RECORD = `case a.record_type
    ${NAMED_TYPES.map(
      (type) => `when '${type}' then (
      select jsonb_build_array(r.name, ${resourceOf(type).isRestorable === true ? 'r.deleted_at is not null' : 'false'})
      from ${NAMED[type]} r where r.id = a.record_id)`,
    ).join('\n    ')} end`;

const ENTRY = `a.id, a.actor_id as "actorId", u.email as "actorEmail", a.session_id as "sessionId",
  a.api_key_id as "apiKeyId", a.action, a.record_type as "recordType", a.record_id as "recordId", ${NAME_OF_RECORD} as record,
  a.related_ids as "relatedIds", a.fields, a.outcome, a.status, a.ip, a.attempts, a.created_at as "createdAt"`;

/** Returns the organization's matching entries, newest first; they are counted up to a limit. */
export async function listAuditEntries(
  { tenant }: Database,
  orgId: string,
  filter: AuditFilter,
  page: Page,
): Promise<Listed<StoredAuditEntry>> {
  const { condition, values } = conditionOf(orgId, filter);
  // Not prepared: the best index depends on the filters.
  const { items, ...rest } = await readPage<EntryRow>(async (statement) => tenant.query(orgId, statement), {
    columns: ENTRY,
    bytes: "600 + 39 * cardinality(a.related_ids) + octet_length(array_to_string(a.fields, ','))",
    source: `from audit_log a left join users u on u.id = a.actor_id where ${condition}`,
    total: `(select count(*) from (select from audit_log a where ${condition} limit ${MAX_COUNTED_ENTRIES}) a)`,
    order: 'a.id desc',
    values,
    page,
  });
  return { ...rest, items: items.map(toEntry) };
}

function toEntry({ record, ...entry }: EntryRow): StoredAuditEntry {
  const isNamed = entry.recordId !== null && NAMED_TYPES.some((type) => type === entry.recordType);
  return { ...entry, recordName: record?.[0] ?? null, recordDeleted: isNamed ? (record?.[1] ?? true) : null };
}

function conditionOf(orgId: string, filter: AuditFilter): { condition: string; values: string[] } {
  const { actorId, action, recordType, recordId, outcome, from, to } = filter;
  const parts: readonly [string, string | undefined][] = [
    ['a.org_id = ?', orgId],
    ['a.actor_id = ?', actorId],
    ['a.action = ?', action],
    ['a.record_type = ?', recordType],
    ['a.id in (select entry_id from audit_log_records where org_id = $1 and record_id = ?)', recordId],
    ['a.outcome = ?', outcome],
    ['a.id >= ?', from && firstIdAt(from.getTime())],
    ['a.id < ?', to && firstIdAt(to.getTime())],
  ];
  const values: string[] = [];
  const conditions = parts.flatMap(([text, value]) => {
    if (value === undefined) return [];
    const number = values.push(value);
    return [text.replace('?', () => `$${number}`)];
  });
  return { condition: conditions.join(' and '), values };
}
