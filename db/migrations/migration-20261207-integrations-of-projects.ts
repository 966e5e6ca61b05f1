import { Migration } from '@mikro-orm/migrations';

/** Adds the integration by whose credentials a project reaches its code host. */
export class Migration20261207IntegrationsOfProjects extends Migration {
  override up(): void {
    this.addSql(/* sql */ `
alter table projects add column integration_id uuid references integrations (id) on delete set null;
create index projects_integration on projects (integration_id);
`);
  }
}
