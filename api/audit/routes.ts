import { z } from 'zod';
import { listAuditEntries, MAX_COUNTED_ENTRIES } from '../../db/audit.ts';
import { actionOf, APPROVAL_ACTIONS, AUDIT_OUTCOMES, OPERATOR_ACTIONS } from '../../domain/audit.ts';
import { idFilter } from '../resources/id-fields.ts';
import { limitParam, moment, offsetParam, timestamp } from '../http/fields.ts';
import { shownEmail } from '../users/schema.ts';
import { isAdministrator } from '../access/policies.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { FINISHED as FINISHED_SIGN_IN } from '../integrations/oauth/answer-callback.ts';
import { presenter } from '../../domain/core/record-names.ts';

/** The action and record names that entries of the audit log can have. */
interface AuditNames {
  readonly actions: readonly string[];
  readonly recordTypes: readonly string[];
}

/** The filters of the audit log; an entry has to match all given ones. */
function auditQuerySchema({ actions, recordTypes }: AuditNames) {
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

const auditEntrySchema = z
  .object({
    id: z.uuid(),
    created_at: timestamp,
    actor_id: z.uuid(),
    actor_email: shownEmail.nullable().meta({ description: 'null when the account was deleted' }),
    session_id: z.uuid().nullable(),
    api_key_id: z.uuid().nullable(),
    ip: z.string().meta({ description: 'The address that the request came from' }),
    action: z.string(),
    record_type: z.string(),
    record_id: z.uuid().nullable(),
    record_name: z.string().nullable().meta({
      description:
        "The record's current name, for administrators; null when it was deleted, has no name, or is personal",
    }),
    record_deleted: z.boolean().nullable().meta({
      description: 'Whether the record was deleted, for administrators; null when records of its type have no names',
    }),
    related_ids: z.array(z.uuid()).meta({ description: 'Other records named in the request' }),
    fields: z.array(z.string()).meta({ description: 'Names of the fields sent' }),
    outcome: z.enum(AUDIT_OUTCOMES),
    status: z.int(),
    attempts: z.int().meta({ description: 'The number of attempts that the entry represents' }),
  })
  .meta({ id: 'AuditEntry' });

type Named = Pick<Route, 'method' | 'resource' | 'action' | 'access'>;

const head = {
  method: 'get',
  path: '/api/audit',
  resource: 'audit',
  access: 'settings.view',
  tag: 'Audit',
} as const;

/** Makes the routes of the audit log; the names it can be searched by are derived from all other routes. */
export function auditRoutes(others: readonly Route[]): Route[] {
  return [
    defineRoute({
      ...head,
      operationId: 'listAuditEntries',
      summary: 'List who did what to which record, and what was denied, newest first',
      description: 'Entries must match all given filters. They are counted up to a limit.',
      query: auditQuerySchema(namesOf([...others, head, FINISHED_SIGN_IN])),
      response: { status: 200, schema: auditEntrySchema.array() },
      handler: async ({ caller, query, answerPage }, { database }) => {
        const filter = {
          actorId: query.actor_id,
          action: query.action,
          recordType: query.record_type,
          recordId: query.record_id,
          outcome: query.outcome,
          from: query.from,
          to: query.to,
        };
        const entries = answerPage(await listAuditEntries(database, caller.orgId, filter, query));
        // Others do not see every record: private ones, and those that their permission groups hide.
        const shown = isAdministrator(caller) ? entries : entries.map(withoutRecord);
        return shown.map(presenter(auditEntrySchema));
      },
    }),
  ];
}

function withoutRecord<T extends object>(entry: T) {
  return { ...entry, recordName: null, recordDeleted: null };
}

// Public routes are recorded only when they change something: their readers are unknown.
function namesOf(routes: readonly Named[]) {
  const recorded = routes.filter(({ access, method }) => access !== 'public' || method !== 'get');
  return {
    actions: distinct([...recorded.map(actionOf), ...OPERATOR_ACTIONS, ...Object.values(APPROVAL_ACTIONS)]),
    recordTypes: distinct(recorded.map(({ resource }) => resource)),
  };
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)].toSorted();
}
