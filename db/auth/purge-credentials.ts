import { purgeApiKeys } from '../api-keys/index.ts';
import type { Database } from '../core/database.ts';
import { purgePasswordData } from '../passwords/index.ts';
import { purgeTrials } from '../providers/index.ts';
import { purgeSessions } from '../sessions/index.ts';

/** Removes expired sign-ins, keys, addresses and links, in batches. */
export async function purgeCredentials(database: Database): Promise<void> {
  await purgeSessions(database);
  await purgeApiKeys(database);
  await purgePasswordData(database);
  await purgeTrials(database);
}
