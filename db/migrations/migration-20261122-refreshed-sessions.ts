import { Migration } from '@mikro-orm/migrations';

/**
 * Records when the newest tokens of a session were made: their predecessors stay valid for a short while after that.
 */
export class Migration20261122RefreshedSessions extends Migration {
  override up(): void {
    this.addSql('alter table sessions add column refreshed_at timestamptz not null default now()');
    this.addSql('update sessions set refreshed_at = created_at');
  }
}
