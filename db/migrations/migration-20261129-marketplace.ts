import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

/** Adds which marketplace items an organization has installed, and of an agent the item that it comes from. */
export class Migration20261129Marketplace extends Migration {
  override up(): void {
    this.addSql(/* sql */ `
create table marketplace_installs (
  org_id uuid not null references orgs (id) on delete cascade,
  slug text not null,
  version text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (org_id, slug)
);
alter table agents
  add column slug text,
  add column item_key text,
  add column version text,
  add column installed_digest text;
create index agents_item on agents (org_id, slug, item_key) where slug is not null;
comment on column agents.slug is 'The marketplace item that it was installed from.';
comment on column agents.installed_digest is 'Of its fields as they were installed: it was edited when they differ.';
`);
    this.addSql(tenantPolicy('marketplace_installs'));
  }
}
