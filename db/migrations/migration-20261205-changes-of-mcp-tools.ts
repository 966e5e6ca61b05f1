import { Migration } from '@mikro-orm/migrations';

/** Notes what the last fetch of a server's tools has found otherwise than the fetch before it. */
export class Migration20261205ChangesOfMcpTools extends Migration {
  override up(): void {
    this.addSql('alter table mcp_servers add column fetch_changes jsonb');
  }
}
