import { listAllRuns } from '../../db/runs.ts';
import { present } from '../../domain/core/record-names.ts';
import { agentBoundOf } from '../agent-workflows/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { allRunsQuery, listedRunSchema } from './schema.ts';

export const runRoutes = [
  defineRoute({
    resource: 'workflow_runs',
    access: 'schedules.view',
    tag: 'Workflows',
    method: 'get',
    path: '/api/runs',
    operationId: 'listRuns',
    summary: 'The runs of all workflows and schedules whose agents you may use: open ones first, then the newest',
    description:
      'Without prompts and answers: those are at the run itself. `status` is that of runs of workflows also for runs of schedules: one that was stopped is `interrupted`. The work of tasks is not among them.',
    query: allRunsQuery,
    response: { status: 200, schema: listedRunSchema.array() },
    handler: async ({ caller, query, answerPage }, { database }) => {
      const { triggered_by: triggeredBy, agent_id: agentId, ...wanted } = query;
      const page = await listAllRuns(database, caller.orgId, {
        ...wanted,
        triggeredBy,
        agentId,
        ...agentBoundOf(caller),
      });
      return answerPage(page).map(({ lastTurn, ...run }) =>
        present(listedRunSchema, run, { turnId: lastTurn?.id ?? null, step: lastTurn?.step ?? 0 }),
      );
    },
  }),
];
