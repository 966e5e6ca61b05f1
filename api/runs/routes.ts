import { z } from 'zod';
import { listAllRuns, RUN_KINDS } from '../../db/runs.ts';
import { agentWorkflowRunId } from '../../workflows/agent-workflows/contract.ts';
import { agentBoundOf } from '../agent-workflows/runs.ts';
import { runStatus, runTrigger } from '../agent-workflows/schema.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, flagParam, moment, pageParams, timestamp } from '../http/fields.ts';
import { idFilter } from '../resources/id-fields.ts';
import { present } from '../../domain/core/record-names.ts';
import { defineRoute } from '../http/define-route.ts';

const runKind = z.enum(RUN_KINDS).meta({ id: 'RunKind', description: 'The kind of record that a run executes' });

const trigger = 'What started it; `schedule`: one of its scheduled times';

const allRunsQuery = z.strictObject({
  status: runStatus.optional().meta({ description: 'Only the runs in this state' }),
  kind: runKind.optional().meta({ description: 'Only the runs of workflows, or those of schedules' }),
  triggered_by: runTrigger.optional().meta({ description: 'Only the runs started by this trigger' }),
  agent_id: idFilter('agents').optional().meta({ description: 'Only the runs with a step of this agent' }),
  from: moment.optional().meta({ description: 'Only the runs created at this time or later' }),
  to: moment.optional().meta({ description: 'Only the runs created before this time' }),
  undelivered: flagParam(
    'Only the runs with a report that failed for good and has not been resent yet, or waits at a destination which failures have paused',
  ),
  ...pageParams,
});

const listedRunSchema = z
  .object({
    id: z.uuid(),
    kind: runKind,
    workflow_id: z.uuid().nullable().meta({ description: 'null for a run of a schedule' }),
    schedule_id: z.uuid().nullable().meta({ description: 'null for a run of a workflow' }),
    name: z.string().meta({ description: 'The current name of its workflow or schedule' }),
    agent_ids: z.array(z.uuid()).meta({ description: 'The agents of its steps' }),
    chat_id: z.uuid().nullable().meta({
      description: 'Its conversation; null when a limit allowed none, and once it has been removed',
    }),
    turn_id: z.uuid().nullable().meta({ description: 'The last of its turns; null before the first one' }),
    user_id: z.uuid().meta({ description: 'The user in whose name it runs' }),
    status: runStatus,
    triggered_by: runTrigger.meta({ description: trigger }),
    slot: timestamp.nullable().meta({ description: 'The scheduled time it was started for; null for other runs' }),
    step_count: z.int().meta({ description: 'The number of its steps' }),
    step: z.int().meta({ description: 'The step of its last turn, from 1; 0 before the first turn' }),
    error: z.string().nullable().meta({ description: 'Why it failed or was stopped, human-readable' }),
    temporal_url: z.url().nullable().meta({
      description: "Its workflow in the Temporal UI; null unless the operator has configured the UI's address",
    }),
    usage: z
      .object({ input_tokens: z.int(), output_tokens: z.int() })
      .meta({ id: 'ListedRunUsage', description: 'The tokens of all its turns; 0 until it ends' }),
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
    summary:
      'List the runs of all workflows and schedules whose agents you may use: open ones first, then newest first',
    description:
      'Prompts and answers are not included: get the run itself for those. `status` has the values of workflow runs for schedule runs too: a stopped one is `interrupted`. Work on tasks is not included.',
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
