import type { z } from 'zod';
import type { StoredAuditEntry } from '../../db/audit/index.ts';
import type { auditEntrySchema } from './schema.ts';

/** An entry of the audit log as the api shows it. */
export function presentAuditEntry(entry: StoredAuditEntry): z.input<typeof auditEntrySchema> {
  return {
    id: entry.id,
    created_at: entry.createdAt.toISOString(),
    actor_id: entry.actorId,
    actor_email: entry.actorEmail,
    session_id: entry.sessionId,
    api_key_id: entry.apiKeyId,
    ip: entry.ip,
    action: entry.action,
    record_type: entry.recordType,
    record_id: entry.recordId,
    related_ids: [...entry.relatedIds],
    fields: [...entry.fields],
    outcome: entry.outcome,
    status: entry.status,
    attempts: entry.attempts,
  };
}
