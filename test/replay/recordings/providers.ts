import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { startProviderSignIn } from '../../../workflows/providers/client.ts';
import { providerSignInId } from '../../../workflows/providers/contract.ts';
import { createProvider } from '../../support/factories.ts';
import type { TestInstance } from '../../support/test-instance.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type Recorder, type Recording, startTalk } from './recorder.ts';

async function probeProvider(instance: TestInstance, client: Client): Promise<string> {
  const { user } = await startTalk(instance);
  const providerId = await createProvider(user.client, instance.model.url, { name: 'Probed' });
  const { status } = await user.client.post(`/api/providers/${providerId}/test`);
  if (status !== 200) throw new Error(`the probe answered ${status}`);
  for await (const { workflowId } of client.workflow.list({ query: "WorkflowType = 'probeProvider'" }))
    return workflowId;
  throw new Error('no probe was run');
}

/** Asks an account for its models. */
async function listProviderModels(instance: TestInstance, client: Client): Promise<string> {
  const { user } = await startTalk(instance);
  const providerId = await createProvider(user.client, instance.model.url, { name: 'Asked' });
  const { status } = await user.client.get(`/api/providers/${providerId}/models`);
  if (status !== 200) throw new Error(`the list answered ${status}`);
  for await (const { workflowId } of client.workflow.list({ query: "WorkflowType = 'listProviderModels'" }))
    return workflowId;
  throw new Error('no account was asked');
}

/** Holds a sign-in at a provider that is over before its program has begun. */
async function signInAtProvider(client: Client): Promise<string> {
  const signIn = { orgId: randomUUID(), signInId: randomUUID() };
  await startProviderSignIn(client, signIn);
  return providerSignInId(signIn);
}

/** Holds a sign-in whose worker cannot even read it for so long that it counts as lost. */
async function loseSignIn(instance: TestInstance, client: Client): Promise<string> {
  const signIn = { orgId: randomUUID(), signInId: randomUUID() };
  const blocker = await instance.api.database.system.connect();
  await blocker.query('begin');
  await blocker.query('lock table provider_sign_ins in access exclusive mode');
  await startProviderSignIn(client, signIn);
  const handle = client.workflow.getHandle(providerSignInId(signIn));
  await waitUntil('the sign-in to be lost', async () => {
    const { events } = await handle.fetchHistory();
    return events?.some(({ activityTaskTimedOutEventAttributes: lost }) => lost != null) || undefined;
  });
  await blocker.query('rollback');
  blocker.release();
  return handle.workflowId;
}

export async function recordProviders({ instance, client }: Recorder): Promise<Recording[]> {
  return [
    { name: 'probe-provider', workflowId: await probeProvider(instance, client) },
    { name: 'list-provider-models', workflowId: await listProviderModels(instance, client) },
    { name: 'sign-in-at-provider', workflowId: await signInAtProvider(client) },
    { name: 'sign-in-at-provider-lost', workflowId: await loseSignIn(instance, client) },
  ];
}
