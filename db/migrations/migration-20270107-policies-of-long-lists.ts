import { Migration } from '@mikro-orm/migrations';

/**
 * Lets the policies of tables that are read by the thousand ask for the organization once a statement. Written plainly
 * they do for each row, which was most of the time of a board or of counting a list.
 */
export class Migration20270107PoliciesOfLongLists extends Migration {
  override up(): void {
    for (const table of ['tasks', 'issues', 'issue_labels'])
      this.addSql(/* sql */ `
alter policy tenant on ${table} using (
  org_id = (select nullif(current_setting('app.org_id', true), '')::uuid)
  or (select current_setting('app.scope', true) = 'system')
)`);
  }
}
