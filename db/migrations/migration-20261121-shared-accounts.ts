import { Migration } from '@mikro-orm/migrations';

/** Restricts accounts to their owner until they are shared, and records who made a chain. */
export class Migration20261121SharedAccounts extends Migration {
  override up(): void {
    // Row-level security binds the tables' owner too.
    this.addSql("select set_config('app.scope', 'system', true)");
    this.addSql(ACCOUNTS);
    this.addSql(CHAINS);
    this.addSql("select set_config('app.scope', '', true)");
  }
}

// Accounts that administrators have set up keep serving everybody. A shared account outlives its owner's user.
const ACCOUNTS = `
alter table provider_accounts add column shared boolean not null default false;
update provider_accounts p set shared = true from memberships m
  where m.org_id = p.org_id and m.user_id = p.user_id and m.role in ('admin', 'owner');

alter table provider_accounts
  alter column user_id drop not null,
  drop constraint provider_accounts_user_id_fkey,
  add constraint provider_accounts_user_id_fkey foreign key (user_id) references users (id) on delete set null;
create index provider_accounts_shared on provider_accounts (org_id, id) where shared and deleted_at is null;
create index provider_accounts_own on provider_accounts (org_id, user_id, id) where not shared and deleted_at is null;
`;

// The makers of existing chains are unknown: administrators change those chains.
const CHAINS = `
alter table provider_chains add column owner_id uuid references users (id) on delete set null;
create index provider_chains_owner on provider_chains (owner_id) where owner_id is not null;
`;
