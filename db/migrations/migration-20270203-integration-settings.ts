import { Migration } from '@mikro-orm/migrations';

/** Lets integrations say more than their credentials, and remember when they were used. */
export class Migration20270203IntegrationSettings extends Migration {
  override up(): void {
    this.addSql(
      "alter table integrations add column settings jsonb not null default '{}', add column used_at timestamptz",
    );
    this.addSql(
      "comment on column integrations.settings is 'What it says beside its credentials, by the names of its kind. No secret.'",
    );
    this.addSql("comment on column integrations.used_at is 'When a tool last used it, to the minute.'");
  }
}
