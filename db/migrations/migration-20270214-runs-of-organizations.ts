import { Migration } from '@mikro-orm/migrations';

/** Adds the index by which an organization lists all its runs: those that have not ended first, then the newest. */
export class Migration20270214RunsOfOrganizations extends Migration {
  override up(): void {
    this.addSql('create index workflow_runs_of_org on workflow_runs (org_id, (completed_at is null) desc, id desc)');
    // The new one serves what this one did.
    this.addSql('drop index workflow_runs_org');
  }
}
