import { Migration } from '@mikro-orm/migrations';
import { systemPolicy } from './system-policy.ts';

/** From where accounts are signed in to: those addresses get in while others are slowed down for guessing. */
export class Migration20261121KnownAddresses extends Migration {
  override up(): void {
    this.addSql(KNOWN_ADDRESSES);
    this.addSql(systemPolicy('known_addresses'));
  }
}

// An address is kept as a keyed digest of it and the account: nobody can tell from a row which it is.
const KNOWN_ADDRESSES = `
create table known_addresses (
  user_id uuid not null references users (id) on delete cascade,
  digest bytea not null,
  last_used_at timestamptz not null default now(),
  primary key (user_id, digest)
);
`;
