import type { Client } from '@temporalio/client';
import { startDetached } from '../core/client.ts';
import { providerSignInId, type ProviderSignInInput, SIGN_IN_AT_PROVIDER } from './contract.ts';

/** The longest life of a sign-in's workflow, in milliseconds. */
const SIGN_IN_MS = 30 * 60_000;

/** Starts the workflow that runs a person's sign-in. */
export async function startProviderSignIn(client: Client, input: ProviderSignInInput): Promise<void> {
  await startDetached(client, SIGN_IN_AT_PROVIDER, {
    id: providerSignInId(input),
    input,
    fairnessKey: input.orgId,
    lifeMs: SIGN_IN_MS,
    ifRunning: 'FAIL',
  });
}
