import type { AuditEntry } from '../../domain/audit/index.ts';
import type { Database } from '../core/index.ts';

/** An entry whose caller may be known by their credential only. */
export interface NewAuditEntry extends AuditEntry {
  /** The public part of a rejected API key. */
  readonly apiKeyPublicId: string | undefined;
}

/**
 * Stores each entry exactly once, however often it is given. Returns the ids of entries without an organization: their
 * actor is unknown, or belongs to none.
 */
export async function recordAuditEntries({ system }: Database, entries: readonly NewAuditEntry[]): Promise<string[]> {
  const { rows } = await system.query<{ id: string }>({
    name: 'record-audit-entries',
    text: RECORD,
    values: [JSON.stringify(entries)],
  });
  return rows.map(({ id }) => id);
}

// An entry of a deleted organization goes to the organization that is active for its actor now. Organizations are taken
// in order, because each is locked against its removal.
const RECORD = `
  with told as (
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
  ), placed as (
    select told.*, coalesce(
      (select id from orgs where orgs.id = told.org and deleted_at is null),
      (select m.org_id from users u join memberships m on m.user_id = u.id and m.org_id = u.active_org_id where u.id = actor),
      (select m.org_id from memberships m where m.user_id = actor order by m.created_at, m.org_id limit 1)
    ) as place
    from told
  ), stored as (
    insert into audit_log (id, org_id, actor_id, session_id, api_key_id, action, record_type, record_id, related_ids,
      fields, outcome, status, ip, attempts, created_at)
    select id, place, actor, "sessionId", key, action, "recordType", "recordId",
      array(select value::uuid from jsonb_array_elements_text("relatedIds")),
      array(select value from jsonb_array_elements_text(fields)),
      outcome, status, ip, attempts, "createdAt"
    from placed where place is not null and actor is not null order by place, id
    on conflict (id) do nothing
    returning id, org_id, record_id, related_ids
  ), named as (
    insert into audit_log_records (org_id, record_id, entry_id)
    select distinct org_id, named_id, id from stored, unnest(array_append(related_ids, record_id)) as named_id
    where named_id is not null
  )
  select id from placed where place is null or actor is null`;
