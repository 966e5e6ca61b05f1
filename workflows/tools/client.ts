import type { Client } from '@temporalio/client';
import { executeShort } from '../core/client.ts';
import { MAX_TRIAL_MS, TRY_TOOL, type TryToolInput, tryToolId } from './contract.ts';

const TIMES = { lifeMs: MAX_TRIAL_MS + 15_000, deadlineMs: MAX_TRIAL_MS + 20_000 };

/** Makes a stored call of a tool, and waits until it has ended (at most 80 seconds). */
export async function runToolTrial(client: Client, input: TryToolInput): Promise<void> {
  await executeShort<void>(client, TRY_TOOL, { id: tryToolId(input), input, fairnessKey: input.orgId, ...TIMES });
}
