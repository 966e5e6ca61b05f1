import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { connectDatabase } from '../../db/orm/connect.ts';
import { startApiProcess } from '../support/api-process.ts';
import { longTest } from '../support/in-length.ts';
import { TEST_SECRET_KEY } from '../support/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { startTestWorker } from '../support/test-worker.ts';

let instance: TestInstance;
let copy: TestDatabase;
beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());
// Made of the same template as that of the instance, with its installation.
beforeEach(async () => {
  copy = await createTestDatabase();
});
afterEach(async () => copy.drop());

const startWorker = async () =>
  startTestWorker({
    DATABASE_URL: copy.url,
    TEMPORAL_ADDRESS: instance.temporalAddress,
    SECRET_KEY: TEST_SECRET_KEY,
  });

describe('a namespace', () => {
  test('is refused to the worker of a copy of its database, which names the setting', async () => {
    await expect(startWorker()).rejects.toThrow(
      /^the worker did not start:\n[^\n]*"level":60[^\n]*"msg":"TEMPORAL_NAMESPACE: the Temporal namespace default belongs to another database of this installation.*\n$/,
    );
  });

  test('is refused to the worker of another installation, which names the setting', async () => {
    const database = await connectDatabase({ url: copy.url, poolSize: 1 });
    await database.system.query('update installation set id = gen_random_uuid()');
    await database.close();
    await expect(startWorker()).rejects.toThrow(
      /^the worker did not start:\n[^\n]*"level":60[^\n]*"msg":"TEMPORAL_NAMESPACE: the Temporal namespace default belongs to another installation.*\n$/,
    );
  });

  longTest('is refused to the api of another database, which names the setting', async () => {
    const api = startApiProcess(copy.url, { temporalAddress: instance.temporalAddress });
    // It may end before it was seen to respond.
    const words = api.then(
      async ({ exited, log }) => exited.then(log),
      (error: Error) => error.message,
    );
    expect(await words).toContain(
      'TEMPORAL_NAMESPACE: the Temporal namespace default belongs to another database of this installation',
    );
  });
});
