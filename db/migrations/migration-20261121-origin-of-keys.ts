import { Migration } from '@mikro-orm/migrations';

/**
 * Records the origin of an API key, so that it ends with it, and the end of its value, so that people can tell it from
 * others.
 */
export class Migration20261121OriginOfKeys extends Migration {
  override up(): void {
    this.addSql(ORIGIN);
  }
}

// made_by is null for keys of unknown origin. session_id has no foreign key: a key of a sign-in outlives it. expires_at
// is set for keys that were made with a device, and is that of its session.
const ORIGIN = `
alter table api_keys
  add column hint text,
  add column made_by text check (made_by in ('sign_in', 'device')),
  add column session_id uuid,
  add column expires_at timestamptz;
create index api_keys_session on api_keys (session_id) where session_id is not null;
create index api_keys_org on api_keys (org_id, id);

select set_config('app.scope', 'system', true);
update api_keys set made_by = 'device' where id in (select api_key_id from device_tokens);
select set_config('app.scope', '', true);
`;
