import { countUsage } from '../../db/chats/index.ts';
import { countWorkUsage } from '../../db/work-usage/index.ts';
import { findDeletedOrgs } from '../../db/membership-changes/index.ts';
import { settleAll } from '../../domain/core/settle-all.ts';
import { startOrgPurge } from '../../workflows/orgs/client.ts';
import { BATCH, type Sweep } from './sweep.ts';

/** Counts what organizations hold, which their limits go by. */
export const countOrgUsage: Sweep = {
  name: 'count usage',
  run: async ({ database }) => {
    await countUsage(database);
    await countWorkUsage(database);
  },
};

/** Starts the purge of organizations that were deleted. */
export const purgeDeletedOrgs: Sweep = {
  name: 'purge organizations',
  run: async ({ database, client }) => {
    const orgIds = await findDeletedOrgs(database, BATCH);
    await settleAll(orgIds.map(async (orgId) => startOrgPurge(client, orgId)));
  },
};
