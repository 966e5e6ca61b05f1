import { Migration } from '@mikro-orm/migrations';
import { systemPolicy } from './system-policy.ts';

/**
 * Moves passwords to a table of their own, and puts it, sessions and other organizations out of reach of an
 * organization's queries.
 */
export class Migration20261121PasswordsApart extends Migration {
  override up(): void {
    this.addSql(PASSWORDS);
    this.addSql(systemPolicy('user_passwords'));
    this.addSql(systemPolicy('sessions'));
    this.addSql(ORGS);
  }
}

const PASSWORDS = `
create table user_passwords (
  user_id uuid primary key references users (id) on delete cascade,
  hash text not null,
  changed_at timestamptz not null default now()
);
insert into user_passwords (user_id, hash, changed_at)
  select id, password_hash, updated_at from users where password_hash is not null;
alter table users drop column password_hash;
`;

const ORG_CONDITION = `id = nullif(current_setting('app.org_id', true), '')::uuid
  or current_setting('app.scope', true) = 'system'`;

const ORGS = `
alter table orgs enable row level security;
alter table orgs force row level security;
create policy tenant on orgs using (${ORG_CONDITION}) with check (${ORG_CONDITION});
`;
