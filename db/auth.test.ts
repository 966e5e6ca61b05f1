import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { serveTestDatabase } from '../test/support/serve-test-database.ts';
import { purgeCredentials } from './auth.ts';

const database = serveTestDatabase({ poolSize: 2 });
const userId = randomUUID();
const orgId = randomUUID();

beforeAll(async () => {
  const { system } = database;
  await system.query("insert into orgs (id, name) values ($1, 'o')", [orgId]);
  await system.query("insert into users (id, email) values ($1, 'a@example.com')", [userId]);
  await system.query("insert into memberships (org_id, user_id, role) values ($1, $2, 'owner')", [orgId, userId]);
});

const count = async (table: string) =>
  (await database.system.query<{ count: number }>(`select count(*)::int as count from ${table}`)).rows[0]?.count;

test('removes what serves nothing any more, and leaves the rest', async () => {
  const { system } = database;
  await system.query(
    `insert into sessions (id, user_id, expires_at) select gen_random_uuid(), $1, now() + age
      from unnest(array['-40 days', '-25 hours', '-23 hours', '1 hour']::interval[]) age`,
    [userId],
  );
  await system.query(
    `insert into known_addresses (user_id, digest, last_used_at) select $1, decode(n::text, 'escape'), now() - n * interval '1 day'
      from unnest(array[0, 89, 91]) n`,
    [userId],
  );
  await system.query(
    `insert into retired_api_keys (public_id, org_id, user_id, api_key_id, retired_at)
      select 'old' || n, $1, $2, gen_random_uuid(), now() - n * interval '1 day' from unnest(array[1, 89, 91]) n`,
    [orgId, userId],
  );
  await system.query(
    `insert into api_keys (id, org_id, user_id, name, public_id, secret_hash, expires_at)
      select gen_random_uuid(), $1, $2, 'k', 'p' || n, 'x', now() + age
      from unnest(array['-25 hours', '-23 hours', '1 hour', null]::interval[]) with ordinality as ages (age, n)`,
    [orgId, userId],
  );
  await purgeCredentials(database);
  expect([await count('sessions'), await count('api_keys'), await count('known_addresses')]).toEqual([2, 3, 2]);
  // One more: the key that was removed just now.
  expect(await count('retired_api_keys')).toBe(3);
});
