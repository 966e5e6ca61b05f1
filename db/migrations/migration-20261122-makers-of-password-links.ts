import { Migration } from '@mikro-orm/migrations';

/** Records who made a password link: it ends with its maker's right. Open links of unknown makers are removed. */
export class Migration20261122MakersOfPasswordLinks extends Migration {
  override up(): void {
    this.addSql("select set_config('app.scope', 'system', true)");
    this.addSql('delete from password_links');
    this.addSql("select set_config('app.scope', '', true)");
    this.addSql(MAKERS);
  }
}

const MAKERS = `
alter table password_links add column created_by uuid not null references users (id) on delete cascade;
create index password_links_maker on password_links (created_by);
`;
