import { Migration } from '@mikro-orm/migrations';

/** Finds the syncs of an organization that are at work, which are counted before another one begins. */
export class Migration20261222OpenSyncs extends Migration {
  override up(): void {
    this.addSql(
      "create index project_syncs_org_open on project_syncs (org_id) where status in ('queued', 'running', 'waiting')",
    );
  }
}
