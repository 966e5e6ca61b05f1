import { readBreakdown } from '../../db/usage.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { present } from '../../domain/core/record-names.ts';
import { isAdministrator } from '../access/policies.ts';
import { readerOf } from '../chats/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { periodOf, usageQuery, usageReportSchema } from './schema.ts';

export const usageRoutes = [
  defineRoute({
    resource: 'usage',
    access: 'in_org',
    tag: 'Usage',
    method: 'get',
    path: '/api/usage',
    operationId: 'getUsage',
    summary: 'Tokens that were used, and what they cost, by day, agent, model, user or chat',
    description:
      'Who holds `settings.manage` sees the usage of everybody in the organization, all others their own. What was used in chats, by agents and by users that are gone counts too. `X-Total-Count` is the number of lines; the totals are those of all of them.',
    query: usageQuery,
    errors: [403],
    response: { status: 200, schema: usageReportSchema },
    handler: async ({ caller, query, answerPage }, { database }) => {
      const seesAll = isAdministrator(caller);
      const { scope = seesAll ? 'organization' : 'own', group_by: groupBy } = query;
      if (scope === 'organization' && !seesAll)
        throw new AppError('forbidden', 'Only administrators see the usage of the whole organization');
      const period = periodOf(query);
      const filter = { ...period, userId: scope === 'own' ? caller.userId : undefined };
      const { lines, totals } = await readBreakdown(database, readerOf(caller), { kind: groupBy, filter, page: query });
      return present(usageReportSchema, { ...period, groupBy, scope, totals, lines: answerPage(lines) });
    },
  }),
];
