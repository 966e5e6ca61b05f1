import { Migration } from '@mikro-orm/migrations';

/** Adds what a sign-in was last used with, and from where, so that its user can tell it from their others. */
export class Migration20270219ClientsOfSessions extends Migration {
  override up(): void {
    this.addSql(CLIENTS);
  }
}

const CLIENTS = `
alter table sessions add column user_agent text, add column ip_address text;
comment on column sessions.user_agent is 'What the client calls itself; null when it does not, for sessions of devices, and once the session has ended.';
comment on column sessions.ip_address is 'Where the client was last; null for sessions of devices, and once the session has ended.';
`;
