import type { Client } from '@temporalio/client';
import { v7 as uuidv7 } from 'uuid';
import { TASK_QUEUE } from '../core/contract.ts';
import {
  mcpProbesOf,
  mcpSignInsOf,
  type McpSignInInput,
  type McpSignInResult,
  PROBE_MCP_SERVER,
  type ProbeMcpServerInput,
  type ProbeMcpServerResult,
  SIGN_IN_AT_MCP_SERVER,
} from './contract.ts';

/** The longest life of each workflow, in milliseconds, and the time after which an engine that hangs is given up. */
const WORKFLOW_MS = 45_000;
const DEADLINE_MS = 50_000;

/** Asks an MCP server for its tools, and waits for the result (at most 50 seconds). */
export async function runMcpProbe(client: Client, input: ProbeMcpServerInput): Promise<ProbeMcpServerResult> {
  return client.withDeadline(Date.now() + DEADLINE_MS, () =>
    client.workflow.execute<(input: ProbeMcpServerInput) => Promise<ProbeMcpServerResult>>(PROBE_MCP_SERVER, {
      workflowId: `${mcpProbesOf(input)}${uuidv7()}`,
      taskQueue: TASK_QUEUE,
      args: [input],
      workflowExecutionTimeout: WORKFLOW_MS,
      priority: { fairnessKey: input.orgId },
    }),
  );
}

/** Takes the next part of a person's sign-in at an MCP server, and waits for the result (at most 50 seconds). */
export async function runMcpSignIn(client: Client, input: McpSignInInput): Promise<McpSignInResult> {
  return client.withDeadline(Date.now() + DEADLINE_MS, () =>
    client.workflow.execute<(input: McpSignInInput) => Promise<McpSignInResult>>(SIGN_IN_AT_MCP_SERVER, {
      workflowId: `${mcpSignInsOf(input)}${uuidv7()}`,
      taskQueue: TASK_QUEUE,
      args: [input],
      workflowExecutionTimeout: WORKFLOW_MS,
      priority: { fairnessKey: input.orgId },
    }),
  );
}
