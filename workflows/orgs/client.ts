import type { Client } from '@temporalio/client';
import { startDetached } from '../core/client.ts';
import { PURGE_ORG, purgeOrgId } from './contract.ts';

/** Makes sure that the remains of a deleted organization are removed. Harmless to repeat. */
export async function startOrgPurge(client: Client, orgId: string): Promise<void> {
  await startDetached(client, PURGE_ORG, { id: purgeOrgId({ orgId }), input: { orgId }, fairnessKey: orgId });
}
