import { Migration } from '@mikro-orm/migrations';

/** Adds indexes to find expired keys and addresses by age. */
export class Migration20261121OldCredentials extends Migration {
  override up(): void {
    this.addSql(BY_AGE);
  }
}

const BY_AGE = `
create index retired_api_keys_age on retired_api_keys (retired_at);
create index api_keys_expiry on api_keys (expires_at) where expires_at is not null;
create index known_addresses_age on known_addresses (last_used_at);
`;
