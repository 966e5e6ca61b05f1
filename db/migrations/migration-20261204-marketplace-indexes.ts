import { Migration } from '@mikro-orm/migrations';

/** Adds the items of the indexes that the operator has added to the marketplace, for every organization. */
export class Migration20261204MarketplaceIndexes extends Migration {
  override up(): void {
    this.addSql(INDEXES);
    for (const table of ['marketplace_indexes', 'marketplace_items']) this.addSql(sharedPolicy(table));
    this.addSql("alter table marketplace_installs add column source text not null default 'builtin'");
  }
}

const INDEXES = `
create table marketplace_indexes (
  id uuid primary key,
  source text not null unique,
  created_at timestamptz not null default now(),
  due_at timestamptz not null default now(),
  checked_at timestamptz,
  fetched_at timestamptz,
  failures integer not null default 0,
  error text,
  refused jsonb not null default '[]'
);
create index marketplace_indexes_due on marketplace_indexes (due_at);
comment on column marketplace_indexes.source is 'Its address, without credentials and query.';
comment on column marketplace_indexes.checked_at is 'When it was last tried; fetched_at: when that last succeeded.';

create table marketplace_items (
  index_id uuid not null references marketplace_indexes (id) on delete cascade,
  slug text not null,
  sha256 text not null,
  kind text not null,
  name text not null,
  version text not null,
  summary text not null,
  tags text[] not null,
  words text not null,
  bytes integer not null,
  files text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (index_id, slug)
);
create index marketplace_items_slug on marketplace_items (slug);
comment on column marketplace_items.words is 'What a search looks through, in lower case.';
comment on column marketplace_items.files is 'JSON: pairs of path and text.';
`;

// They belong to no organization: all may read them, and only the service itself writes them.
function sharedPolicy(table: string): string {
  const condition = `current_setting('app.scope', true) = 'system'`;
  return `
    alter table ${table} enable row level security;
    alter table ${table} force row level security;
    create policy readable on ${table} for select using (true);
    create policy system on ${table} using (${condition}) with check (${condition});
  `;
}
