import type { Client } from '@temporalio/client';
import { startOrgPurge } from '../../../workflows/housekeeping/client.ts';
import { purgeOrgId } from '../../../workflows/housekeeping/contract.ts';
import type { TestInstance } from '../../support/test-instance.ts';
import { type Recorder, type Recording, startTalk } from './recorder.ts';

/** The purge of an organization that was deleted. */
async function purgeOrg(instance: TestInstance): Promise<string> {
  const { user } = await startTalk(instance);
  const { status } = await user.client.delete(`/api/orgs/${user.orgId}`);
  if (status !== 204) throw new Error(`the organization was not deleted: ${status}`);
  return purgeOrgId(user);
}

/** The purge of an organization that nobody has deleted, which removes nothing. */
async function refusePurge(instance: TestInstance, client: Client): Promise<string> {
  const { user } = await startTalk(instance);
  await startOrgPurge(client, user.orgId);
  return purgeOrgId(user);
}

export async function recordOrgs({ instance, client }: Recorder): Promise<Recording[]> {
  return [
    { name: 'purge-org', workflowId: await purgeOrg(instance) },
    { name: 'purge-org-refused', workflowId: await refusePurge(instance, client) },
  ];
}
