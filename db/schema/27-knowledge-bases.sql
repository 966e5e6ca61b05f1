-- Knowledge bases: their documents, the passages that these are cut into, and the words and vectors of passages, by
-- which they are searched.

create table knowledge_bases (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  name text not null,
  description text not null,
  documents int not null default 0,
  passages int not null default 0,
  bytes bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  embedding_model text not null default 'auto',
  model_in_use text,
  dimensions int,
  vector_version int not null default 1,
  embedded_passages int not null default 0,
  embedding_tokens bigint not null default 0,
  embedding_cost double precision,
  embedding_error text,
  embedding_tries int not null default 0,
  embedding_due_at timestamptz
);
comment on column knowledge_bases.bytes is 'Of the texts of its documents, in UTF-8.';
comment on column knowledge_bases.embedding_model is
  'What was chosen: auto, off, or the type of a provider, a slash and a model.';
comment on column knowledge_bases.model_in_use is 'The model that its vectors are of; null until there are any.';
comment on column knowledge_bases.vector_version is
  'Goes up with each new model: vectors of an earlier version are not searched.';
comment on column knowledge_bases.embedding_cost is
  'Of its vectors and searches, in US dollars; null while no price is known.';
comment on column knowledge_bases.embedding_due_at is
  'When passages without a vector are seen to, again if need be; null when there are none.';
create index knowledge_bases_org on knowledge_bases (org_id, id);
create index knowledge_bases_embedding_due on knowledge_bases (embedding_due_at) where embedding_due_at is not null;
call add_tenant_policy('knowledge_bases');

create table knowledge_documents (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  knowledge_base_id uuid not null references knowledge_bases (id) on delete cascade,
  user_id uuid references users (id) on delete set null,
  title text not null,
  source text not null check (source in ('text', 'file', 'upload', 'url')),
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
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  vector_version int
);
comment on column knowledge_documents.file_id is 'The file that its text is of; it may have been deleted since.';
comment on column knowledge_documents.given_text is 'The text that was given, until it is cut into passages.';
comment on column knowledge_documents.digest is
  'Of the text, the file or the address, which a knowledge base has once.';
comment on column knowledge_documents.vector_version is 'The version of which all of its passages have a vector.';
create index knowledge_documents_base on knowledge_documents (knowledge_base_id, id);
create index knowledge_documents_org on knowledge_documents (org_id);
create index knowledge_documents_user on knowledge_documents (user_id);
create index knowledge_documents_unread on knowledge_documents (updated_at) where status in ('pending', 'processing');
create unique index knowledge_documents_digest on knowledge_documents (knowledge_base_id, digest)
  where status <> 'failed';
call add_tenant_policy('knowledge_documents');
alter table chat_files add constraint chat_files_document_id_fkey
  foreign key (document_id) references knowledge_documents (id) on delete cascade;

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
comment on column knowledge_passages.start_at is 'Where it begins in the text of the document, in UTF-16 units.';
create index knowledge_passages_org on knowledge_passages (org_id);
call add_tenant_policy('knowledge_passages');

create table knowledge_words (
  document_id uuid not null,
  seq int not null,
  org_id uuid not null,
  knowledge_base_id uuid not null,
  words tsvector not null,
  primary key (document_id, seq),
  foreign key (document_id, seq) references knowledge_passages (document_id, seq) on delete cascade
);
comment on column knowledge_words.words is 'Each word begins with a key of the organization.';
create index knowledge_words_words on knowledge_words using gin (words) with (fastupdate = off);
call add_search_policy('knowledge_words');

create table knowledge_vectors (
  document_id uuid not null,
  seq int not null,
  org_id uuid not null,
  knowledge_base_id uuid not null,
  version int not null,
  vector bytea storage external,
  length real not null,
  primary key (document_id, seq),
  foreign key (document_id, seq) references knowledge_passages (document_id, seq) on delete cascade
);
comment on column knowledge_vectors.vector is
  'One signed byte for each dimension; null when the model takes no such text.';
comment on column knowledge_vectors.length is 'The length of the vector that the bytes are.';
create index knowledge_vectors_base on knowledge_vectors (knowledge_base_id, document_id, seq);
call add_tenant_policy('knowledge_vectors');

-- The texts of searches, while a worker turns them into vectors.
create table knowledge_queries (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  query text not null,
  targets jsonb not null,
  outcome jsonb,
  created_at timestamptz not null default now()
);
comment on column knowledge_queries.targets is
  'The models whose vectors are wanted, each with a knowledge base that uses it.';
comment on column knowledge_queries.outcome is 'The vector for each model, or why there is none.';
create index knowledge_queries_org on knowledge_queries (org_id);
create index knowledge_queries_created on knowledge_queries (created_at);
call add_tenant_policy('knowledge_queries');
