import { z } from 'zod';
import { listAgentWorkflows } from '../../../db/agent-workflows/index.ts';
import { variablesOf } from '../../../domain/agent-workflows/index.ts';
import { agentBoundOf } from '../../agent-workflows/index.ts';
import { defineDoorTool, READS } from '../door-tool.ts';

const MAX_WORKFLOWS = 200;

/** Lists the workflows of which the caller may see the runs. */
export const listWorkflowsTool = defineDoorTool({
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
