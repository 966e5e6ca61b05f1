import { Migration } from '@mikro-orm/migrations';

/** Finds the agents that name a model profile, which are few. */
export class Migration20261209AgentsOfProfiles extends Migration {
  override up(): void {
    this.addSql(`create index agents_profile on agents (org_id) where model_pref like 'profile:%'`);
  }
}
