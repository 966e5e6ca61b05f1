import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newEmail } from '../../test/support/invitations.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import type { Database } from '../core/database.ts';
import { connectDatabase } from '../orm/connect.ts';
import { registerUser } from './change-members.ts';

let own: TestDatabase;
let database: Database;
beforeAll(async () => {
  own = await createTestDatabase();
  database = await connectDatabase({ url: own.url, poolSize: 4 });
});
afterAll(async () => {
  await database.close();
  await own.drop();
});

test('one first account is made when several are to be the first at once', async () => {
  const made = await Promise.allSettled(
    Array.from({ length: 8 }, async () =>
      registerUser(database, { email: newEmail(), fullName: '', passwordHash: 'x', orgName: 'Lab', isFirst: true }),
    ),
  );
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const { rows } = await database.system.query(
    'select (select count(*) from users) + (select count(*) from orgs) as n',
  );
  expect(rows).toEqual([{ n: 2 }]);
});
