import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

/** Adds sign-ins at providers that are under way, and who uses an account that serves one call at a time. */
export class Migration20270210ProviderSignIns extends Migration {
  override up(): void {
    this.addSql(SIGN_INS);
    this.addSql(tenantPolicy('provider_sign_ins'));
    this.addSql(USES);
    this.addSql(tenantPolicy('provider_account_uses'));
  }
}

const SIGN_INS = `
create table provider_sign_ins (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  provider_type text not null,
  account_name text not null,
  status text not null default 'pending' check (status in ('pending', 'awaiting_code', 'verifying', 'ready', 'failed', 'expired')),
  detail text,
  auth_url text,
  user_code text,
  tries integer not null default 0,
  code bytea,
  credentials bytea,
  account_id uuid references provider_accounts (id) on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '15 minutes',
  unique (org_id, user_id, provider_type, account_name)
);
create index provider_sign_ins_user on provider_sign_ins (user_id);
create index provider_sign_ins_account on provider_sign_ins (account_id) where account_id is not null;
create index provider_sign_ins_expiry on provider_sign_ins (expires_at);
comment on column provider_sign_ins.code is 'Encrypted; what the person came back with, until the program has taken it.';
comment on column provider_sign_ins.credentials is 'Encrypted; the files of the sign-in, until an account is made of it.';
`;

const USES = `
create table provider_account_uses (
  account_id uuid primary key references provider_accounts (id) on delete cascade,
  org_id uuid not null references orgs (id) on delete cascade,
  holder uuid not null,
  until timestamptz not null
);
create index provider_account_uses_org on provider_account_uses (org_id);
`;
