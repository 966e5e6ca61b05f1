import { z } from 'zod';
import { startRun } from '../../../db/agent-workflows/index.ts';
import { jsonObject, text } from '../../../domain/core/text.ts';
import { defineDoorTool } from '../door-tool.ts';

const MAX_KEY = 200;

/** Starts a run of a workflow in the name of the caller. */
export const startWorkflowTool = defineDoorTool({
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
