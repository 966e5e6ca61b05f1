import { z } from 'zod';
import { MAX_COUNTED_ENTRIES } from '../../db/audit/index.ts';
import { MAX_PAGE_ROWS } from '../../db/core/index.ts';
import { AUDIT_OUTCOMES } from '../../domain/audit/index.ts';
import { queryInt, timestamp } from '../core/fields.ts';

/** A moment that a caller names: ISO 8601, with its offset from UTC. */
const moment = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

/** The names that entries of the audit log can have. */
interface AuditNames {
  readonly actions: readonly string[];
  readonly recordTypes: readonly string[];
}

/** What the audit log is searched by; an entry has to fit all that is given. */
export function auditQuerySchema({ actions, recordTypes }: AuditNames) {
  return z.object({
    actor_id: z.uuid().toLowerCase().optional(),
    action: z.enum(actions).optional(),
    record_type: z.enum(recordTypes).optional(),
    record_id: z.uuid().toLowerCase().optional(),
    outcome: z.enum(AUDIT_OUTCOMES).optional(),
    from: moment.optional(),
    to: moment.optional(),
    limit: queryInt(1, MAX_PAGE_ROWS).default(50),
    offset: queryInt(0, MAX_COUNTED_ENTRIES).default(0),
  });
}

export const auditEntrySchema = z
  .object({
    id: z.uuid(),
    created_at: timestamp,
    actor_id: z.uuid(),
    actor_email: z.string().nullable().meta({ description: 'null when the account is gone' }),
    session_id: z.uuid().nullable(),
    api_key_id: z.uuid().nullable(),
    ip: z.string().meta({ description: 'The address that the request came from' }),
    action: z.string(),
    record_type: z.string(),
    record_id: z.uuid().nullable(),
    related_ids: z.array(z.uuid()).meta({ description: 'Other records that the request named' }),
    fields: z.array(z.string()).meta({ description: 'Names of the fields that were sent' }),
    outcome: z.enum(AUDIT_OUTCOMES),
    status: z.int(),
    attempts: z.int().meta({ description: 'How many attempts the entry stands for' }),
  })
  .meta({ id: 'AuditEntry' });
