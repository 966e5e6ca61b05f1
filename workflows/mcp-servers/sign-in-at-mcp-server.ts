import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { McpSignInInput, McpSignInResult } from './contract.ts';

const { advanceMcpSignIn } = proxyActivities<Activities>({
  startToCloseTimeout: '40 seconds',
  // A code is good for one use, and the person who asked is waiting.
  retry: { maximumAttempts: 1 },
});

/** Takes the next part of a person's sign-in at an MCP server. */
export async function signInAtMcpServer(input: McpSignInInput): Promise<McpSignInResult> {
  return advanceMcpSignIn(input);
}
