import type { DoorTool } from '../door-tool.ts';
import { askAgentTool } from './ask-agent.ts';
import { getTurnTool } from './get-turn.ts';
import { getWorkflowRunTool } from './get-workflow-run.ts';
import { interruptTurnTool } from './interrupt-turn.ts';
import { listAgentsTool } from './list-agents.ts';
import { listWorkflowsTool } from './list-workflows.ts';
import { startWorkflowTool } from './start-workflow.ts';

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
