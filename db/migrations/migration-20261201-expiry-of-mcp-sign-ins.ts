import { Migration } from '@mikro-orm/migrations';

/** Finds the sign-ins at MCP servers that have expired. */
export class Migration20261201ExpiryOfMcpSignIns extends Migration {
  override up(): void {
    this.addSql('create index mcp_sign_ins_expiry on mcp_sign_ins (expires_at)');
  }
}
