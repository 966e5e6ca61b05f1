import { Migration } from '@mikro-orm/migrations';

/** Keeps which call of an MCP client an answer was begun for, so that any process can interrupt it. */
export class Migration20270201CallsOfCompletions extends Migration {
  override up(): void {
    this.addSql(`
alter table completions add column call_digest bytea check (octet_length(call_digest) = 32);
create index completions_call on completions (org_id, user_id, call_digest) where call_digest is not null;
comment on column completions.call_digest is 'SHA-256 of the session and the id of an MCP request; ids may be used again.';
`);
  }
}
