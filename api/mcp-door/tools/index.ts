import { z } from 'zod';
import { listChatModels } from '../../../db/agents/index.ts';
import { allowedIds } from '../../../domain/permissions/index.ts';
import { defineDoorTool, type DoorTool, READS } from '../door-tool.ts';
import { askAgentTool, getTurnTool, interruptTurnTool } from './turn-tools.ts';
import { getWorkflowRunTool, listWorkflowsTool, startWorkflowTool } from './workflow-tools.ts';

/** Lists the agents that the caller may write to. */
const listAgentsTool = defineDoorTool({
  name: 'list_agents',
  title: 'List agents',
  description: 'Lists the agents that can be asked, by name. Where two have a name, give ask_agent the id.',
  resource: 'agents',
  action: 'view',
  access: 'agents.view',
  input: z.strictObject({}),
  output: z.object({ agents: z.array(z.object({ id: z.uuid(), name: z.string(), description: z.string() })) }),
  annotations: READS,
  run: async (_args, { caller: { orgId, policy }, context: { database } }) => {
    const agents = await listChatModels(database, orgId, { allowedIds: allowedIds(policy, 'agentIds') });
    return { data: { agents: agents.map(({ id, name, description }) => ({ id, name, description })) } };
  },
});

/** The tools of MCP clients, in the order in which they are listed. */
export const doorTools: readonly DoorTool[] = [
  listAgentsTool,
  askAgentTool,
  getTurnTool,
  interruptTurnTool,
  listWorkflowsTool,
  startWorkflowTool,
  getWorkflowRunTool,
];
