import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { ProbeMcpServerInput, ProbeMcpServerResult } from './contract.ts';

const { fetchMcpTools } = proxyActivities<Activities>({
  startToCloseTimeout: '40 seconds',
  // The person who asked is waiting and can ask again.
  retry: { maximumAttempts: 1 },
});

/** Asks an MCP server for its tools and has them stored. */
export async function probeMcpServer(input: ProbeMcpServerInput): Promise<ProbeMcpServerResult> {
  return fetchMcpTools(input);
}
