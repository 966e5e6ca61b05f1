import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { stepsOf } from '../../../../domain/agent-workflows.ts';
import { jsonObject } from '../../../../domain/core/text.ts';
import type { RunnableWorkflow, ToolContext, ToolRun, UserWorkflows } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import { CallChanged, type CallDescription, NOTHING_ELSE, type ToolOutput } from '../../tool.ts';
import { recordId } from '../parameters.ts';

/** How long a call waits for the end of a run, and how often it polls. */
const MAX_WAIT_MS = 60_000;
const POLL_MS = 1_000;

const parameters = z.strictObject({
  workflow_id: recordId.describe('Id of the workflow.'),
  variables: jsonObject().optional().describe('The values for the placeholders of its prompts, by their names.'),
  run_id: recordId.optional().describe('Id of a run: reads it and starts none.'),
  wait: z
    .boolean()
    .optional()
    .describe('Whether to wait for the end of the run, up to a minute. Read it later when it takes longer.'),
});

type Arguments = z.output<typeof parameters>;

/** Starts a run of a workflow in the name of the turn's user, or reads one. A repeated call starts no second one. */
export const workflowTrigger = defineTool({
  key: 'workflow_trigger',
  name: 'Run a workflow',
  description:
    'Starts a run of a workflow with your values, or reads how a run that was started before stands. ' +
    'The run works in a conversation of its own and goes on without you.',
  category: 'platform',
  onlyInChats: true,
  parameters,
  effect: 'keyed',
  timeoutSeconds: 90,
  permission: 'schedules',
  effectOf: ({ run_id: runId }) => (runId === undefined ? 'keyed' : 'read'),
  label: ({ run_id: runId }) => (runId === undefined ? 'Starting a workflow' : 'Reading a run'),
  describe: async ({ workflow_id: id, run_id: runId }, { workflows }) =>
    runId === undefined ? describeWorkflow(await workflows.find(id), workflows) : NOTHING_ELSE,
  run: async (args, context, approvedBasis) => {
    const workflowId = args.workflow_id;
    const runId = args.run_id ?? (await start(workflowId, args, context, approvedBasis));
    const read = async () => context.workflows.readRun(workflowId, runId);
    return outputOf(args.wait === true ? await untilEnd(read, context.signal) : await read());
  },
});

// Under the key of the call, so that a repeated call starts no second run.
async function start(
  workflowId: string,
  { variables = {} }: Arguments,
  { workflows, idempotencyKey }: ToolContext,
  approvedBasis: unknown,
): Promise<string> {
  const accept = async (workflow: RunnableWorkflow) => {
    if (approvedBasis === undefined) return;
    const description = await describeWorkflow(workflow, workflows);
    if (!isDeepStrictEqual(description.basis, approvedBasis)) throw new CallChanged(description);
  };
  return workflows.trigger(workflowId, { variables, key: idempotencyKey, accept });
}

// A run works with the agents and the prompts that its workflow has when it starts.
async function describeWorkflow(workflow: RunnableWorkflow, workflows: UserWorkflows): Promise<CallDescription> {
  const { name, agentId } = workflow;
  const [steps, names] = [stepsOf(workflow), await workflows.findAgentNames(workflow)];
  const nameOf = (id: string) => names.get(id) ?? id;
  return {
    details: [
      { label: 'Workflow', value: name },
      { label: 'Agent', value: nameOf(agentId) },
      ...steps.flatMap((step) => [
        ...(step.agentId === null || step.agentId === agentId
          ? []
          : [{ label: `Agent of ${step.name}`, value: nameOf(step.agentId) }]),
        { label: step.name, value: step.promptTemplate },
      ]),
    ],
    basis: { agentId, steps },
  };
}

async function untilEnd(read: () => Promise<ToolRun>, signal: AbortSignal): Promise<ToolRun> {
  const until = Date.now() + MAX_WAIT_MS;
  let run = await read();
  while (run.completedAt === null && Date.now() < until) {
    await sleep(POLL_MS, undefined, { signal });
    run = await read();
  }
  return run;
}

function outputOf(run: ToolRun): ToolOutput {
  const value = {
    run_id: run.id,
    workflow_id: run.workflowId,
    status: run.status,
    missing_variables: run.missingVariables,
    output: run.output,
    error: run.error,
    started_at: run.startedAt?.toISOString() ?? null,
    completed_at: run.completedAt?.toISOString() ?? null,
  };
  // The input of a run may come from anywhere.
  return { value, isForeign: (run.output ?? run.error) !== null };
}
