import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

/** Adds what people have granted to integrations, the sign-ins that are under way, and grants that are to be ended. */
export class Migration20270205IntegrationSignIns extends Migration {
  override up(): void {
    this.addSql(GRANTS);
    this.addSql(SIGN_INS);
    this.addSql(REVOCATIONS);
    this.addSql(tenantPolicy('integration_sign_ins'));
    this.addSql(tenantPolicy('integration_revocations'));
  }
}

const GRANTS = `
alter table integrations
  add column granted bytea,
  add column signed_in_at timestamptz,
  add column renewing_until timestamptz;
comment on column integrations.granted is 'The tokens that requests are made with, encrypted.';
comment on column integrations.renewing_until is 'While a worker asks for another token: when it is given up.';
`;

const SIGN_INS = `
create table integration_sign_ins (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  integration_id uuid not null references integrations (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  connection uuid not null,
  redirect_url text not null,
  state_digest bytea,
  sealed bytea not null,
  error text,
  expires_at timestamptz not null default now() + interval '10 minutes'
);
create unique index integration_sign_ins_state on integration_sign_ins (state_digest) where state_digest is not null;
create index integration_sign_ins_integration on integration_sign_ins (integration_id);
create index integration_sign_ins_user on integration_sign_ins (user_id);
create index integration_sign_ins_org on integration_sign_ins (org_id);
create index integration_sign_ins_expiry on integration_sign_ins (expires_at);
`;

// The integration is gone, so the row has all that its end is asked for with.
const REVOCATIONS = `
create table integration_revocations (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  kind text not null,
  base_url text,
  sealed bytea not null,
  created_at timestamptz not null default now()
);
create index integration_revocations_org on integration_revocations (org_id);
create index integration_revocations_age on integration_revocations (created_at);
`;
