import { Migration } from '@mikro-orm/migrations';

/** Adds the secret of a sign-in in a browser, which a cookie holds. */
export class Migration20270212BrowserSessions extends Migration {
  override up(): void {
    this.addSql(SECRETS);
  }
}

const SECRETS = `
alter table sessions
  add column browser_public_id text unique,
  add column browser_secret_hash bytea,
  add constraint sessions_browser_secret check ((browser_public_id is null) = (browser_secret_hash is null));
comment on column sessions.browser_public_id is 'Finds the session of the cookie that holds its secret; null for all other sessions.';
`;
