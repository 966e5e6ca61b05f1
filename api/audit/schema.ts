import { z } from 'zod';
import { MAX_COUNTED_ENTRIES } from '../../db/audit/index.ts';
import { AUDIT_OUTCOMES } from '../../domain/audit.ts';
import { idFilter } from '../resources/id-fields.ts';
import { limitParam, moment, offsetParam, timestamp } from '../http/fields.ts';
import { shownEmail } from '../users/index.ts';

/** The action and record names that entries of the audit log can have. */
interface AuditNames {
  readonly actions: readonly string[];
  readonly recordTypes: readonly string[];
}

/** The filters of the audit log; an entry has to match all given ones. */
export function auditQuerySchema({ actions, recordTypes }: AuditNames) {
  return z.strictObject({
    actor_id: idFilter('users').optional().meta({ description: 'The user who did it' }),
    action: z.enum(actions).optional().meta({ description: 'What was done' }),
    record_type: z.enum(recordTypes).optional().meta({ description: 'The type of the record' }),
    record_id: idFilter().optional().meta({ description: 'The record that was acted on' }),
    outcome: z.enum(AUDIT_OUTCOMES).optional().meta({ description: 'The outcome' }),
    from: moment.optional().meta({ description: 'Only entries from this time or later' }),
    to: moment.optional().meta({ description: 'Only entries before this time' }),
    limit: limitParam().default(50),
    offset: offsetParam(MAX_COUNTED_ENTRIES).default(0),
  });
}

export const auditEntrySchema = z
  .object({
    id: z.uuid(),
    created_at: timestamp,
    actor_id: z.uuid(),
    actor_email: shownEmail.nullable().meta({ description: 'null when the account is gone' }),
    session_id: z.uuid().nullable(),
    api_key_id: z.uuid().nullable(),
    ip: z.string().meta({ description: 'The address that the request came from' }),
    action: z.string(),
    record_type: z.string(),
    record_id: z.uuid().nullable(),
    record_name: z.string().nullable().meta({
      description:
        'What the record is called now, for administrators; null when it is gone, has no name, or belongs to one person',
    }),
    related_ids: z.array(z.uuid()).meta({ description: 'Other records that the request named' }),
    fields: z.array(z.string()).meta({ description: 'Names of the fields that were sent' }),
    outcome: z.enum(AUDIT_OUTCOMES),
    status: z.int(),
    attempts: z.int().meta({ description: 'The number of attempts that the entry stands for' }),
  })
  .meta({ id: 'AuditEntry' });
