import { z } from 'zod';
import { getRun } from '../../../db/agent-workflows/index.ts';
import { RUN_STATUSES } from '../../../domain/agent-workflows/index.ts';
import { agentBoundOf } from '../../agent-workflows/index.ts';
import { defineDoorTool, READS } from '../door-tool.ts';

const outcome = {
  status: z.enum(RUN_STATUSES),
  output: z.string().nullable().meta({ description: 'The last answer; null before the end, and after a failure' }),
  error: z.string().nullable(),
};

/** Returns how far a run of a workflow is, and what it has answered. */
export const getWorkflowRunTool = defineDoorTool({
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
