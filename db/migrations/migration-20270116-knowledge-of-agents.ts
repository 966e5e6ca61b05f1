import { Migration } from '@mikro-orm/migrations';

/** Lets an agent be given some of the organization's knowledge bases instead of all. */
export class Migration20270116KnowledgeOfAgents extends Migration {
  override up(): void {
    this.addSql('alter table agents add column knowledge_base_ids jsonb');
    this.addSql(
      "comment on column agents.knowledge_base_ids is 'The knowledge bases that it searches; null for all that its user may view.'",
    );
  }
}
