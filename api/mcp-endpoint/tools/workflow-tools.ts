import { z } from 'zod';
import { getRun } from '../../../db/agent-workflows/runs/list-runs.ts';
import { listAgentWorkflows } from '../../../db/agent-workflows/agent-workflows.ts';
import { startRun } from '../../../db/agent-workflows/decisions/trigger-run.ts';
import { RUN_STATUSES, variablesOf } from '../../../domain/agent-workflows.ts';
import { jsonObject, text } from '../../../domain/core/text.ts';
import { agentBoundOf } from '../../agent-workflows/runs.ts';
import { defineServedTool, READS } from '../served-tool.ts';

const MAX_WORKFLOWS = 200;

/** Lists the workflows of which the caller may see the runs. */
export const listWorkflowsTool = defineServedTool({
  name: 'list_workflows',
  title: 'List workflows',
  description: 'Lists workflows: prompts that agents are given one after the other, with the variables in them.',
  resource: 'workflows',
  action: 'view',
  access: 'schedules.view',
  input: z.strictObject({ offset: z.int().min(0).max(1_000_000).default(0) }),
  output: z.object({
    total: z.int(),
    workflows: z.array(z.object({ id: z.uuid(), name: z.string(), variables: z.array(z.string()) })),
  }),
  annotations: READS,
  run: async ({ offset }, { caller, context: { database } }) => {
    const page = { limit: MAX_WORKFLOWS, offset, ...agentBoundOf(caller) };
    const { items, total } = await listAgentWorkflows(database, caller.orgId, page);
    const workflows = items.map((workflow) => ({
      id: workflow.id,
      name: workflow.name,
      variables: variablesOf(workflow),
    }));
    return { data: { total, workflows } };
  },
});

const MAX_KEY = 200;

/** Starts a run of a workflow in the name of the caller. */
export const startWorkflowTool = defineServedTool({
  name: 'start_workflow',
  title: 'Start a workflow',
  description: 'Starts a run of a workflow, which goes on by itself. get_workflow_run says how far it is.',
  resource: 'workflows',
  action: 'trigger',
  isAudited: true,
  access: 'schedules.manage',
  input: z.strictObject({
    workflow_id: z.uuid().toLowerCase(),
    variables: jsonObject().default({}).meta({ description: 'Values for the variables of the workflow, by name' }),
    idempotency_key: text(MAX_KEY).min(1).optional().meta({ description: 'The same key again starts no second run' }),
  }),
  output: z.object({ workflow_id: z.uuid(), run_id: z.uuid() }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  run: async ({ workflow_id: workflowId, variables, idempotency_key: key }, { context, caller }) => {
    const runId = await startRun(context, caller, { workflowId, variables, key });
    return { data: { workflow_id: workflowId, run_id: runId } };
  },
});

const outcome = {
  status: z.enum(RUN_STATUSES),
  output: z.string().nullable().meta({ description: 'The last answer; null until it ends, and after a failure' }),
  error: z.string().nullable(),
};

/** Returns how far a run of a workflow is, and what it has answered. */
export const getWorkflowRunTool = defineServedTool({
  name: 'get_workflow_run',
  title: 'Get a run of a workflow',
  description: 'Returns how far a run of a workflow is, and the answers of its steps.',
  resource: 'workflow_runs',
  action: 'view',
  access: 'schedules.view',
  input: z.strictObject({ workflow_id: z.uuid().toLowerCase(), run_id: z.uuid().toLowerCase() }),
  output: z.object({
    ...outcome,
    chat_id: z.uuid().nullable(),
    steps: z.array(z.object({ name: z.string(), ...outcome })),
  }),
  annotations: READS,
  run: async ({ workflow_id: workflowId, run_id: runId }, { caller, context: { database } }) => {
    const run = await getRun(database, caller.orgId, { workflowId, runId, ...agentBoundOf(caller) });
    const shown = ({ status, output, error }: Pick<typeof run, 'status' | 'output' | 'error'>) => ({
      status,
      output,
      error,
    });
    const steps = run.steps.map(({ name, ...step }) => ({ name, ...shown(step) }));
    return { data: { ...shown(run), chat_id: run.chatId, steps } };
  },
});
