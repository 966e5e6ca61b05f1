import { Migration } from '@mikro-orm/migrations';

/** Finds the integrations of a kind by an index. */
export class Migration20270217IntegrationsOfKind extends Migration {
  override up(): void {
    this.addSql('create index integrations_kind on integrations (org_id, kind, id)');
  }
}
