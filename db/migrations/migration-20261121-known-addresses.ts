import { Migration } from '@mikro-orm/migrations';
import { systemPolicy } from './system-policy.ts';

/** Adds the addresses that accounts are used from: those get in while others are slowed down for guessing. */
export class Migration20261121KnownAddresses extends Migration {
  override up(): void {
    this.addSql(KNOWN_ADDRESSES);
    this.addSql(systemPolicy('known_addresses'));
  }
}

// An address is stored as a keyed digest of it and the account, so that a row does not reveal it.
const KNOWN_ADDRESSES = `
create table known_addresses (
  user_id uuid not null references users (id) on delete cascade,
  digest bytea not null,
  last_used_at timestamptz not null default now(),
  primary key (user_id, digest)
);
`;
