import { listAuditEntries } from '../../db/audit/index.ts';
import { actionOf, recordTypeOf } from '../../domain/audit/index.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { presenter } from '../../domain/core/record-names.ts';
import { auditEntrySchema, auditQuerySchema } from './schema.ts';

type Named = Pick<Route, 'method' | 'path' | 'response' | 'access' | 'audit'>;

const head = { method: 'get', path: '/api/audit', access: 'settings.view', tag: 'Audit' } as const;
const response = { status: 200, schema: auditEntrySchema.array() } as const;

/** The routes of the audit log, whose names are those of all other routes. */
export function auditRoutes(others: readonly Route[]): Route[] {
  return [
    defineRoute({
      ...head,
      operationId: 'listAuditEntries',
      summary: 'Who did what to which record, and what was denied, newest first',
      description: 'An entry has to fit all that is given. The entries are counted up to a limit.',
      query: auditQuerySchema(namesOf([...others, { ...head, response }])),
      response,
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
        return answerPage(await listAuditEntries(database, caller.orgId, filter, query)).map(
          presenter(auditEntrySchema),
        );
      },
    }),
  ];
}

// Of public routes only what changes something can be told of: nobody who only looks is known.
function namesOf(routes: readonly Named[]) {
  const told = routes.filter(({ access, method }) => access !== 'public' || method !== 'get');
  const actions = told.map((route) => (typeof route.audit === 'string' ? route.audit : actionOf(route).action));
  return { actions: distinct(actions), recordTypes: distinct(actions.map(recordTypeOf)) };
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)].toSorted();
}
