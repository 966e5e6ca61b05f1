import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

/**
 * Lets knowledge bases be searched by meaning: the model of a base, and a vector of each passage. Bases from before
 * stay with words until somebody chooses a model, because their texts then go to its provider.
 */
export class Migration20270122KnowledgeByMeaning extends Migration {
  override up(): void {
    this.addSql(COLUMNS);
    this.addSql(VECTORS);
    this.addSql(tenantPolicy('knowledge_vectors'));
  }
}

const COLUMNS = /* sql */ `
alter table knowledge_bases
  add column embedding_model text not null default 'off',
  add column model_in_use text,
  add column dimensions int,
  add column vector_version int not null default 1,
  add column embedded_passages int not null default 0,
  add column embedding_tokens bigint not null default 0,
  add column embedding_cost double precision,
  add column embedding_error text,
  add column embedding_tries int not null default 0,
  add column embedding_due_at timestamptz;
alter table knowledge_bases alter column embedding_model set default 'auto';
create index knowledge_bases_embedding_due on knowledge_bases (embedding_due_at) where embedding_due_at is not null;
comment on column knowledge_bases.embedding_model is 'What was chosen: auto, off, or the type of a provider, a slash and a model.';
comment on column knowledge_bases.model_in_use is 'The model that its vectors are of; null until there are any.';
comment on column knowledge_bases.vector_version is 'Goes up with each new model: vectors of an earlier version are not searched.';
comment on column knowledge_bases.embedding_cost is 'Of its vectors and searches, in US dollars; null while no price is known.';
comment on column knowledge_bases.embedding_due_at is 'When passages without a vector are seen to, again if need be; null when there are none.';

alter table knowledge_documents add column vector_version int;
comment on column knowledge_documents.vector_version is 'The version of which all of its passages have a vector.';
`;

const VECTORS = /* sql */ `
create table knowledge_vectors (
  document_id uuid not null,
  seq int not null,
  org_id uuid not null,
  knowledge_base_id uuid not null,
  version int not null,
  vector bytea,
  length real not null,
  primary key (document_id, seq),
  foreign key (document_id, seq) references knowledge_passages (document_id, seq) on delete cascade
);
alter table knowledge_vectors alter column vector set storage external;
create index knowledge_vectors_base on knowledge_vectors (knowledge_base_id, document_id, seq);
comment on column knowledge_vectors.vector is 'One signed byte for each dimension; null when the model takes no such text.';
comment on column knowledge_vectors.length is 'The length of the vector that the bytes are.';
`;
