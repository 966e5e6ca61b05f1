import { KNOWN_ADDRESS_DAYS } from '../../domain/auth/index.ts';
import type { Database } from '../core/index.ts';
import { purgeRows } from '../records/index.ts';

/** Deletes expired password links, and addresses that an account was not used from for long. */
export async function purgePasswordData(database: Database): Promise<void> {
  await purgeRows(database, 'password_links', 'expires_at < now()');
  await purgeRows(database, 'known_addresses', `last_used_at < now() - interval '${KNOWN_ADDRESS_DAYS} days'`);
}
