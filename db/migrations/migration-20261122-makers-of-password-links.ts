import { Migration } from '@mikro-orm/migrations';

/** Who made a link for a password: it ends with what its maker may do. Open links whose maker nobody knows are gone. */
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
