import { readFileSync } from 'node:fs';
import type { MigrationObject } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';

const POLICIES = new URL('../schema/policies.sql', import.meta.url);
const DROP_POLICIES = 'drop procedure add_tenant_policy, add_list_policy, add_search_policy, add_system_policy';

/**
 * Makes a migration of files of SQL, which run in order. They see and change the rows of all organizations, and may
 * call the procedures of `policies.sql`.
 */
export function sqlMigration(name: string, files: readonly URL[]): MigrationObject {
  class SqlMigration extends Migration {
    override up(): void {
      // Row-level security binds the owner of the tables, too.
      this.addSql("select set_config('app.scope', 'system', true)");
      for (const file of [POLICIES, ...files]) this.addSql(readFileSync(file, 'utf8'));
      this.addSql(DROP_POLICIES);
    }
  }
  return { name, class: SqlMigration };
}
