import { z } from 'zod';
import { listAllRuns, RUN_KINDS } from '../../db/runs.ts';
import { agentWorkflowRunId } from '../../workflows/agent-workflows/contract.ts';
import { agentBoundOf } from '../agent-workflows/runs.ts';
import { runStatus, runTrigger } from '../agent-workflows/schema.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, flagParam, moment, pageParams, timestamp } from '../http/fields.ts';
import { idFilter } from '../resources/id-fields.ts';
import { present } from '../../domain/core/record-names.ts';
import { defineRoute } from '../http/define-route.ts';

const runKind = z.enum(RUN_KINDS).meta({ id: 'RunKind', description: 'What a run is an execution of' });

const trigger = 'What has started it; `schedule`: one of its times';

const allRunsQuery = z.strictObject({
  status: runStatus.optional().meta({ description: 'Only the runs in this state' }),
  kind: runKind.optional().meta({ description: 'Only the runs of workflows, or those of schedules' }),
  triggered_by: runTrigger.optional().meta({ description: 'Only the runs that this has started' }),
  agent_id: idFilter('agents').optional().meta({ description: 'Only the runs with a step of this agent' }),
  from: moment.optional().meta({ description: 'Only the runs that were created at this time or later' }),
  to: moment.optional().meta({ description: 'Only the runs that were created before this time' }),
  undelivered: flagParam('Only the runs of which a report was given up, and is not sent again yet'),
  ...pageParams,
});

const listedRunSchema = z
  .object({
    id: z.uuid(),
    kind: runKind,
    workflow_id: z.uuid().nullable().meta({ description: 'null for a run of a schedule' }),
    schedule_id: z.uuid().nullable().meta({ description: 'null for a run of a workflow' }),
    name: z.string().meta({ description: 'The name that its workflow or schedule has now' }),
    agent_ids: z.array(z.uuid()).meta({ description: 'The agents of its steps' }),
    chat_id: z.uuid().nullable().meta({
      description: 'Its conversation; null when there was no room for one, and once it was removed',
    }),
    turn_id: z.uuid().nullable().meta({ description: 'The last of its turns; null before the first one' }),
    user_id: z.uuid().meta({ description: 'In whose name it runs' }),
    status: runStatus,
    triggered_by: runTrigger.meta({ description: trigger }),
    slot: timestamp.nullable().meta({ description: 'The time that it was started for; null outside of the times' }),
    step_count: z.int().meta({ description: 'The number of its steps' }),
    step: z.int().meta({ description: 'The step of its last turn, from 1 on; 0 before the first turn' }),
    error: z.string().nullable().meta({ description: 'Why it failed, or was stopped, in readable words' }),
    temporal_url: z.url().nullable().meta({
      description: "Where Temporal's UI shows its workflow; null unless the operator has said where that is",
    }),
    usage: z
      .object({ input_tokens: z.int(), output_tokens: z.int() })
      .meta({ id: 'ListedRunUsage', description: 'The tokens of all its turns; 0 before the end' }),
    started_at: timestamp.nullable().meta({ description: 'When its first prompt was sent' }),
    completed_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({
    id: 'ListedRun',
    examples: [
      {
        id: EXAMPLE_ID,
        kind: 'workflow',
        workflow_id: EXAMPLE_ID,
        schedule_id: null,
        name: 'Triage',
        agent_ids: [EXAMPLE_ID],
        chat_id: EXAMPLE_ID,
        turn_id: EXAMPLE_ID,
        user_id: EXAMPLE_ID,
        status: 'running',
        triggered_by: 'webhook',
        slot: null,
        step_count: 2,
        step: 1,
        error: null,
        temporal_url: null,
        usage: { input_tokens: 0, output_tokens: 0 },
        started_at: EXAMPLE_TIME,
        completed_at: null,
        created_at: EXAMPLE_TIME,
        updated_at: EXAMPLE_TIME,
      },
    ],
  });

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
    handler: async ({ caller, query, answerPage }, { database, temporalUi }) => {
      const { triggered_by: triggeredBy, agent_id: agentId, undelivered: isUndelivered, ...wanted } = query;
      const page = await listAllRuns(database, caller.orgId, {
        ...wanted,
        triggeredBy,
        agentId,
        isUndelivered,
        ...agentBoundOf(caller),
      });
      return answerPage(page).map(({ lastTurn, ...run }) =>
        present(listedRunSchema, run, {
          turnId: lastTurn?.id ?? null,
          step: lastTurn?.step ?? 0,
          temporalUrl: temporalUi(agentWorkflowRunId({ orgId: caller.orgId, runId: run.id })),
        }),
      );
    },
  }),
];
