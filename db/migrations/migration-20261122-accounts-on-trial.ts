import { Migration } from '@mikro-orm/migrations';

/** Adds provider accounts on trial: nobody sees or uses them before they are kept. */
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
