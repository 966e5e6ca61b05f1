import { describe, expect, test } from '@jest/globals';
import { ApiClient } from '../../test/support/api-client.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

const BODY = { email: 'ada@example.com', password: 'correct horse battery' };

describe.each(['invite', 'closed'] as const)('POST /api/auth/register where registration is %s', (registration) => {
  const served = serveTestApi({ registration });

  test('answers 403 without an invite', async () => {
    expect((await new ApiClient(served.url).post('/api/auth/register', BODY)).status).toBe(403);
    const { rows } = await served.api.database.system.query('select 1 from users');
    expect(rows).toEqual([]);
  });
});
