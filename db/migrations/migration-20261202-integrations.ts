import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

/** Adds the integrations of organizations: named credentials for other services. */
export class Migration20261202Integrations extends Migration {
  override up(): void {
    this.addSql(INTEGRATIONS);
    this.addSql(tenantPolicy('integrations'));
  }
}

// `connection` changes with everything that a request to the service is made from.
const INTEGRATIONS = `
create table integrations (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  kind text not null,
  name text not null,
  base_url text,
  credentials bytea not null,
  credential_fields jsonb not null,
  secret_places jsonb not null,
  test_request jsonb,
  connection uuid not null,
  checked_at timestamptz,
  error text,
  account text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index integrations_org on integrations (org_id, id);
create unique index integrations_name on integrations (org_id, lower(name));
`;
