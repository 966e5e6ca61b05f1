import { Migration } from '@mikro-orm/migrations';

/** Marks chats that have read text from outside, and memories derived from such text. */
export class Migration20261121ForeignText extends Migration {
  override up(): void {
    this.addSql(FOREIGN_TEXT);
  }
}

const FOREIGN_TEXT = `
alter table chats add column has_foreign_text boolean not null default false;
alter table agent_memories add column is_foreign boolean not null default false;
`;
