import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

const OF_ORG = `(org_id = nullif(current_setting('app.org_id', true), '')::uuid
    or current_setting('app.scope', true) = 'system')`;

/**
 * Adds knowledge bases, their documents, the passages of these, and the words of passages, to be searched. Words have
 * the policy of `issue_words`, because row-level security keeps PostgreSQL from reading texts by an index.
 */
export class Migration20270115KnowledgeBases extends Migration {
  override up(): void {
    this.addSql(TABLES);
    for (const table of ['knowledge_bases', 'knowledge_documents', 'knowledge_passages'])
      this.addSql(tenantPolicy(table));
    this.addSql(/* sql */ `
alter table knowledge_words enable row level security;
alter table knowledge_words force row level security;
create policy tenant on knowledge_words
  using (${OF_ORG} and words @@ coalesce(nullif(current_setting('app.search', true), '')::tsquery, '!everything'::tsquery))
  with check (${OF_ORG});
`);
  }
}

const TABLES = /* sql */ `
create table knowledge_bases (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  name text not null,
  description text not null,
  documents int not null default 0,
  passages int not null default 0,
  bytes bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index knowledge_bases_org on knowledge_bases (org_id, id);
comment on column knowledge_bases.bytes is 'Of the texts of its documents, in UTF-8.';

create table knowledge_documents (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  knowledge_base_id uuid not null references knowledge_bases (id) on delete cascade,
  user_id uuid references users (id) on delete set null,
  title text not null,
  source text not null check (source in ('text', 'file', 'url')),
  url text,
  file_id uuid,
  given_text text,
  digest text not null,
  tags jsonb not null default '[]',
  status text not null default 'pending' check (status in ('pending', 'processing', 'ready', 'failed')),
  error text,
  characters int,
  bytes bigint not null default 0,
  passages int not null default 0,
  tries int not null default 0,
  due_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index knowledge_documents_base on knowledge_documents (knowledge_base_id, id);
create index knowledge_documents_org on knowledge_documents (org_id);
create index knowledge_documents_user on knowledge_documents (user_id);
create index knowledge_documents_due on knowledge_documents (due_at) where due_at is not null;
create unique index knowledge_documents_digest on knowledge_documents (knowledge_base_id, digest) where status <> 'failed';
comment on column knowledge_documents.file_id is 'The file that its text is of; it may have been deleted since.';
comment on column knowledge_documents.given_text is 'The text that was given, until it is cut into passages.';
comment on column knowledge_documents.digest is 'Of the text, the file or the address, which a knowledge base has once.';
comment on column knowledge_documents.due_at is 'When somebody is asked to read it, again if need be; null once that has ended.';

create table knowledge_passages (
  document_id uuid not null references knowledge_documents (id) on delete cascade,
  seq int not null,
  org_id uuid not null references orgs (id) on delete cascade,
  heading text not null,
  content text not null,
  start_at int not null,
  end_at int not null,
  primary key (document_id, seq)
);
create index knowledge_passages_org on knowledge_passages (org_id);
comment on column knowledge_passages.start_at is 'Where it begins in the text of the document, in UTF-16 units.';

create table knowledge_words (
  document_id uuid not null,
  seq int not null,
  org_id uuid not null,
  knowledge_base_id uuid not null,
  words tsvector not null,
  primary key (document_id, seq),
  foreign key (document_id, seq) references knowledge_passages (document_id, seq) on delete cascade
);
create index knowledge_words_words on knowledge_words using gin (words) with (fastupdate = off);
comment on column knowledge_words.words is 'Each word begins with a key of the organization.';
`;
