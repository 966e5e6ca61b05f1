import { join } from 'node:path';
import { cancellationSignal } from '@temporalio/activity';
import { hasOrgRecord, purgeOrg } from '../db/membership-changes/delete-org.ts';
import { forgetPurgedOrg } from '../db/orgs/orgs.ts';
import type { PurgeOrgInput } from '../workflows/housekeeping/contract.ts';
import { removeTree } from './sandbox/channels.ts';
import { type ComparisonDeps, removeSchedulesOf } from './schedules.ts';
import type { LocalCopies } from './tools/workspace/travel/local-copies.ts';

export interface PurgeDeps extends ComparisonDeps {
  /** Folder of the chats' workspaces. */
  readonly workspaceRoot: string;
  readonly copies: Pick<LocalCopies, 'removeOrg'>;
}

const ID = /^[0-9a-f-]{36}$/;

/**
 * Removes every record of an organization, and then its Temporal Schedules; returns false, and removes nothing, when it
 * was not deleted.
 */
export function createRemoveOrgRecords(deps: Omit<PurgeDeps, 'workspaceRoot' | 'copies'>) {
  return async function removeOrgRecords({ orgId }: PurgeOrgInput): Promise<boolean> {
    const cancelled = cancellationSignal();
    const isDeleted = await purgeOrg(deps.database, orgId, () => cancelled.throwIfAborted());
    // Nothing makes them anew once the rows are gone.
    if (isDeleted) await removeSchedulesOf(deps, orgId);
    return isDeleted;
  };
}

/**
 * Removes the workspaces of an organization whose records are gone, and notes that nothing of it is left. Returns
 * false, and removes nothing, while it has one.
 */
export function createRemoveOrgFiles({
  database,
  workspaceRoot,
  copies,
}: Pick<PurgeDeps, 'database' | 'workspaceRoot' | 'copies'>) {
  return async function removeOrgFiles({ orgId }: PurgeOrgInput): Promise<boolean> {
    if (!ID.test(orgId)) throw new Error('an organization is identified by its id');
    // Checked here, and not taken from the caller.
    if (await hasOrgRecord(database, orgId)) return false;
    // Links in it are removed, not followed.
    await removeTree(join(workspaceRoot, orgId));
    await copies.removeOrg(orgId);
    await forgetPurgedOrg(database, orgId);
    return true;
  };
}
