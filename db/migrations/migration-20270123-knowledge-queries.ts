import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

/** Keeps the texts of searches that a worker turns into vectors out of the engine: they stand here while that takes. */
export class Migration20270123KnowledgeQueries extends Migration {
  override up(): void {
    this.addSql(/* sql */ `
create table knowledge_queries (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  query text not null,
  targets jsonb not null,
  outcome jsonb,
  created_at timestamptz not null default now()
);
create index knowledge_queries_org on knowledge_queries (org_id);
create index knowledge_queries_created on knowledge_queries (created_at);
comment on column knowledge_queries.targets is 'The models whose vectors are wanted, each with a knowledge base that uses it.';
comment on column knowledge_queries.outcome is 'The vector for each model, or why there is none.';
`);
    this.addSql(tenantPolicy('knowledge_queries'));
  }
}
