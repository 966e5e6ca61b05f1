import { Migration } from '@mikro-orm/migrations';

/** Lets the open turns of an organization's sub-agents be found, beside those of its users (`turns_open_org`). */
export class Migration20261214OpenSubAgents extends Migration {
  override up(): void {
    this.addSql(/* sql */ `
create index turns_open_sub_agents on turns (org_id) where status in ('queued', 'running') and parent_turn_id is not null;
`);
  }
}
