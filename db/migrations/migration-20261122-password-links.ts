import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

/** Adds links with which the user of a managed account sets a password, one for each account. */
export class Migration20261122PasswordLinks extends Migration {
  override up(): void {
    this.addSql(PASSWORD_LINKS);
    this.addSql(tenantPolicy('password_links'));
  }
}

const PASSWORD_LINKS = `
create table password_links (
  user_id uuid primary key references users (id) on delete cascade,
  org_id uuid not null references orgs (id) on delete cascade,
  public_id text not null,
  secret_hash bytea not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);
create unique index password_links_public_id on password_links (public_id);
create index password_links_org on password_links (org_id);
create index password_links_age on password_links (expires_at);
`;
