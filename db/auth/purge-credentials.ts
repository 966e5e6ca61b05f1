import { KNOWN_ADDRESS_DAYS } from '../../domain/auth/index.ts';
import type { Database } from '../core/database.ts';

/** The number of rows that one statement removes. */
const BATCH = 1_000;

const IS_OLD = {
  // None of their tokens is valid any more, and the audit log knows by then who tried one.
  sessions: "expires_at < now() - interval '1 day'",
  api_keys: "expires_at < now() - interval '1 day'",
  known_addresses: `last_used_at < now() - interval '${KNOWN_ADDRESS_DAYS} days'`,
  password_links: 'expires_at < now()',
  // The process that tested them has ended.
  provider_accounts: "on_trial and created_at < now() - interval '10 minutes'",
  retired_api_keys: "retired_at < now() - interval '90 days'",
};

/** Removes expired sign-ins, keys, addresses and links, in batches. */
export async function purgeCredentials({ system }: Database): Promise<void> {
  for (const [table, isOld] of Object.entries(IS_OLD)) {
    await system.query(
      `delete from ${table} where ctid = any(array(select ctid from ${table} where ${isOld} limit ${BATCH}))`,
    );
  }
}
