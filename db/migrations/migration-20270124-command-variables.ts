import { Migration } from '@mikro-orm/migrations';

/** Lets an organization give credentials of an integration to commands of agents; so far none are given. */
export class Migration20270124CommandVariables extends Migration {
  override up(): void {
    this.addSql("alter table integrations add column command_variables jsonb not null default '{}'");
    this.addSql(
      "comment on column integrations.command_variables is 'The variables in which commands find credentials, each with the name of its field.'",
    );
  }
}
