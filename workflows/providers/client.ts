import type { Client } from '@temporalio/client';
import { v7 as uuidv7 } from 'uuid';
import { TASK_QUEUE } from '../core/contract.ts';
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

/** The longest life of a workflow, in milliseconds, and the time after which an engine that hangs is given up. */
const WORKFLOW_MS = 40_000;
const DEADLINE_MS = 45_000;

/** Makes one small call with a provider account, and waits for its result (at most 45 seconds). */
export async function runProviderProbe(client: Client, input: ProbeProviderInput): Promise<ProbeResult> {
  return run(client, PROBE_PROVIDER, { prefix: probesOf(input), input });
}

/** Asks a provider account which models it offers, and waits for its answer (at most 45 seconds). */
export async function runModelListing(
  client: Client,
  input: ListProviderModelsInput,
): Promise<ListProviderModelsResult> {
  return run(client, LIST_PROVIDER_MODELS, { prefix: modelListsOf(input), input });
}

async function run<Result>(
  client: Client,
  type: string,
  { prefix, input }: { readonly prefix: string; readonly input: ProbeProviderInput },
): Promise<Result> {
  return client.withDeadline(Date.now() + DEADLINE_MS, () =>
    client.workflow.execute<(input: ProbeProviderInput) => Promise<Result>>(type, {
      workflowId: `${prefix}${uuidv7()}`,
      taskQueue: TASK_QUEUE,
      args: [input],
      workflowExecutionTimeout: WORKFLOW_MS,
      priority: { fairnessKey: input.orgId },
    }),
  );
}

/** The longest life of a sign-in's workflow, in milliseconds. */
const SIGN_IN_MS = 30 * 60_000;
const START_MS = 5_000;

/** Starts the workflow that holds a person's sign-in. */
export async function startProviderSignIn(client: Client, input: ProviderSignInInput): Promise<void> {
  await client.withDeadline(Date.now() + START_MS, () =>
    client.workflow.start<(input: ProviderSignInInput) => Promise<void>>(SIGN_IN_AT_PROVIDER, {
      workflowId: providerSignInId(input),
      taskQueue: TASK_QUEUE,
      args: [input],
      workflowExecutionTimeout: SIGN_IN_MS,
      priority: { fairnessKey: input.orgId },
    }),
  );
}
