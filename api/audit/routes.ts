import { listAuditEntries } from '../../db/audit/index.ts';
import { actionOf } from '../../domain/audit.ts';
import { isAdministrator } from '../access/policies.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { FINISHED_SIGN_IN } from '../integrations/index.ts';
import { presenter } from '../../domain/core/record-names.ts';
import { auditEntrySchema, auditQuerySchema } from './schema.ts';

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
      summary: 'Who did what to which record, and what was denied, newest first',
      description: 'An entry has to match all given filters. The entries are counted up to a limit.',
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
        const shown = isAdministrator(caller) ? entries : entries.map((entry) => ({ ...entry, recordName: null }));
        return shown.map(presenter(auditEntrySchema));
      },
    }),
  ];
}

// Public routes are recorded only when they change something: their readers are unknown.
function namesOf(routes: readonly Named[]) {
  const told = routes.filter(({ access, method }) => access !== 'public' || method !== 'get');
  return {
    actions: distinct(told.map(actionOf)),
    recordTypes: distinct(told.map(({ resource }) => resource)),
  };
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)].toSorted();
}
