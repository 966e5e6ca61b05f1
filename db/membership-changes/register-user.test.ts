import { expect, test } from '@jest/globals';
import { newEmail } from '../../test/support/invitations.ts';
import { serveTestDatabase } from '../../test/support/serve-test-database.ts';
import { registerUser } from './change-members.ts';

const database = serveTestDatabase({ poolSize: 4 });

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
