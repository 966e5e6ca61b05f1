import type { Client } from '@temporalio/client';
import { v7 as uuidv7 } from 'uuid';
import { executeShort } from '../core/client.ts';
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

const TIMES = { lifeMs: 45_000, deadlineMs: 50_000 };

/** Asks an MCP server for its tools, and waits for the result (at most 50 seconds). */
export async function runMcpProbe(client: Client, input: ProbeMcpServerInput): Promise<ProbeMcpServerResult> {
  const id = `${mcpProbesOf(input)}${uuidv7()}`;
  return executeShort(client, PROBE_MCP_SERVER, { id, input, fairnessKey: input.orgId, ...TIMES });
}

/** Takes the next part of a person's sign-in at an MCP server, and waits for the result (at most 50 seconds). */
export async function runMcpSignIn(client: Client, input: McpSignInInput): Promise<McpSignInResult> {
  const id = `${mcpSignInsOf(input)}${uuidv7()}`;
  return executeShort(client, SIGN_IN_AT_MCP_SERVER, { id, input, fairnessKey: input.orgId, ...TIMES });
}
