import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

/** Adds model profiles, and the kinds of work for which a sub-agent's chat chooses among them. */
export class Migration20261128ModelProfiles extends Migration {
  override up(): void {
    this.addSql(/* sql */ `
create table model_profiles (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  owner_id uuid references users (id) on delete set null,
  name text not null,
  description text not null,
  provider_type text,
  model_name text,
  provider_chain_id uuid references provider_chains (id) on delete set null,
  tags jsonb not null,
  priority int not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index model_profiles_org on model_profiles (org_id, id);
create unique index model_profiles_name on model_profiles (org_id, lower(name));
create index model_profiles_owner on model_profiles (owner_id);
create index model_profiles_chain on model_profiles (provider_chain_id);
alter table chats add column model_tags text[];
comment on column chats.model_tags is 'For a sub-agent: the kinds of work, in lower case, for which its model profile is chosen.';
`);
    this.addSql(tenantPolicy('model_profiles'));
  }
}
