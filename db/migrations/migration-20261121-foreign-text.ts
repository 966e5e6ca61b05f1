import { Migration } from '@mikro-orm/migrations';

/** Which chats have read text from outside, and which memories were made of what they had read. */
export class Migration20261121ForeignText extends Migration {
  override up(): void {
    this.addSql(FOREIGN_TEXT);
  }
}

const FOREIGN_TEXT = `
alter table chats add column has_foreign_text boolean not null default false;
alter table agent_memories add column is_foreign boolean not null default false;
`;
