import type { AuditEntry, AuditOutcome } from '../../domain/audit/index.ts';
import { type Database, type Listed, type Page, readPage } from '../core/index.ts';
import { firstIdAt } from '../core/sql/first-id-at.ts';
import { userName } from '../records/index.ts';

/** An entry of an organization's audit log. */
export interface StoredAuditEntry extends Omit<
  AuditEntry,
  'actorId' | 'orgId' | 'sessionId' | 'apiKeyId' | 'recordId'
> {
  readonly actorId: string;
  /** Null when the account is gone. */
  readonly actorEmail: string | null;
  readonly sessionId: string | null;
  readonly apiKeyId: string | null;
  readonly recordId: string | null;
  /** Null for records that are gone, and for those that have no name. Private records have one, too. */
  readonly recordName: string | null;
}

/** Filters of the audit log; an entry has to match all that are given. */
export interface AuditFilter {
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
const NAMED: Readonly<Record<string, string>> = {
  agents: 'agents',
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
  providers: '(select id, name from provider_accounts where not on_trial)',
  schedule_runs: '(select r.id, s.name from workflow_runs r join schedules s on s.id = r.schedule_id)',
  schedules: 'schedules',
  skills: 'definitions',
  tools: 'definitions',
  workflow_runs: '(select r.id, w.name from workflow_runs r join agent_workflows w on w.id = r.workflow_id)',
  workflows: 'agent_workflows',
};

const RECORD_NAME = `case a.record_type
    ${Object.entries(NAMED)
      .map(([type, rows]) => `when '${type}' then (select r.name from ${rows} r where r.id = a.record_id)`)
      .join('\n    ')} end`;

const ENTRY = `a.id, a.actor_id as "actorId", u.email as "actorEmail", a.session_id as "sessionId",
  a.api_key_id as "apiKeyId", a.action, a.record_type as "recordType", a.record_id as "recordId", ${RECORD_NAME} as "recordName",
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
  return readPage<StoredAuditEntry>(async (statement) => tenant.query(orgId, statement), {
    columns: ENTRY,
    bytes: "600 + 39 * cardinality(a.related_ids) + octet_length(array_to_string(a.fields, ','))",
    source: `from audit_log a left join users u on u.id = a.actor_id where ${condition}`,
    total: `(select count(*) from (select from audit_log a where ${condition} limit ${MAX_COUNTED_ENTRIES}) a)`,
    order: 'a.id desc',
    values,
    page,
  });
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
    const place = values.push(value);
    return [text.replace('?', () => `$${place}`)];
  });
  return { condition: conditions.join(' and '), values };
}
