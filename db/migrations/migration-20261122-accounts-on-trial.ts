import { Migration } from '@mikro-orm/migrations';

/** Provider accounts that are tried before they are kept: until then nobody sees or uses them. */
export class Migration20261122AccountsOnTrial extends Migration {
  override up(): void {
    this.addSql(ON_TRIAL);
  }
}

const ON_TRIAL = `
alter table provider_accounts add column on_trial boolean not null default false,
  add constraint provider_accounts_trial check (not on_trial or deleted_at is not null);
create index provider_accounts_on_trial on provider_accounts (created_at) where on_trial;
`;
