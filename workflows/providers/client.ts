import type { Client } from '@temporalio/client';
import { v7 as uuidv7 } from 'uuid';
import { executeShort, startDetached } from '../core/client.ts';
import {
  LIST_PROVIDER_MODELS,
  type ListProviderModelsInput,
  type ListProviderModelsResult,
  modelListsOf,
  PROBE_PROVIDER,
  type ProbeProviderInput,
  type ProbeResult,
  probesOf,
  providerSignInId,
  type ProviderSignInInput,
  SIGN_IN_AT_PROVIDER,
} from './contract.ts';

const TIMES = { lifeMs: 40_000, deadlineMs: 45_000 };

/** Makes one small call with a provider account, and waits for its result (at most 45 seconds). */
export async function runProviderProbe(client: Client, input: ProbeProviderInput): Promise<ProbeResult> {
  const id = `${probesOf(input)}${uuidv7()}`;
  return executeShort(client, PROBE_PROVIDER, { id, input, fairnessKey: input.orgId, ...TIMES });
}

/** Asks a provider account which models it offers, and waits for its answer (at most 45 seconds). */
export async function runModelListing(
  client: Client,
  input: ListProviderModelsInput,
): Promise<ListProviderModelsResult> {
  const id = `${modelListsOf(input)}${uuidv7()}`;
  return executeShort(client, LIST_PROVIDER_MODELS, { id, input, fairnessKey: input.orgId, ...TIMES });
}

/** The longest life of a sign-in's workflow, in milliseconds. */
const SIGN_IN_MS = 30 * 60_000;

/** Starts the workflow that holds a person's sign-in. */
export async function startProviderSignIn(client: Client, input: ProviderSignInInput): Promise<void> {
  await startDetached(client, SIGN_IN_AT_PROVIDER, {
    id: providerSignInId(input),
    input,
    fairnessKey: input.orgId,
    lifeMs: SIGN_IN_MS,
    ifRunning: 'FAIL',
  });
}
