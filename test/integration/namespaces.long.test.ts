import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import type { Database } from '../../db/core/database.ts';
import { readInstallation } from '../../db/installation.ts';
import { connectDatabase } from '../../db/orm/connect.ts';
import { watchNamespace } from '../../worker/watch-namespace.ts';
import { housekeepingId, INTERVALS } from '../../workflows/housekeeping/contract.ts';
import { startApiProcess } from '../support/api-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { type OwnInstance, startOwnInstance } from '../support/test-instance.ts';
import { Valve } from '../support/valve.ts';

let instance: OwnInstance;
let connection: Connection;
let client: Client;
let copy: TestDatabase;
let database: Database;
beforeAll(async () => {
  instance = await startOwnInstance();
  connection = await Connection.connect({ address: instance.temporalAddress });
  client = new Client({ connection });
});
afterAll(async () => {
  await connection.close();
  await instance.close();
});
// Made of the same template as that of the instance, with its installation.
beforeEach(async () => {
  copy = await createTestDatabase();
  database = await connectDatabase({ url: copy.url, poolSize: 2 });
});
afterEach(async () => {
  await database.close();
  await copy.drop();
});

const scheduleOf = (interval: (typeof INTERVALS)[number]) => client.schedule.getHandle(housekeepingId({ interval }));
const becomeAnother = async () => database.system.query('update installation set id = gen_random_uuid()');

/** Starts an api on the copy, and returns what it has said when it has ended. */
async function lastWordsOfApi(temporalAddress: string, meanwhile: () => void = () => undefined): Promise<string> {
  try {
    const api = await startApiProcess(copy.url, { temporalAddress });
    meanwhile();
    await api.exited;
    return api.log();
  } catch (error) {
    // It may end before it was seen to respond.
    return error instanceof Error ? error.message : '';
  }
}

describe('a namespace', () => {
  test('is refused to an api that has responded while Temporal was away', async () => {
    const valve = await Valve.open(`http://${instance.temporalAddress}`);
    valve.shut();
    await becomeAnother();
    const words = await lastWordsOfApi(new URL(valve.url).host, () => valve.reopen());
    expect(words).toContain('belongs to another installation');
    valve.close();
  });

  test('goes to another database once its first Schedule was deleted, with all of them, and ends who had it', async () => {
    const { databaseUrl, temporalAddress } = instance;
    const running = [await startApiProcess(databaseUrl, { temporalAddress }), ...instance.workers];
    expect(running).toHaveLength(2);
    await scheduleOf('minute').delete();
    const installation = await readInstallation(database);
    await watchNamespace(installation).run({ database, client });
    for (const interval of INTERVALS) expect((await scheduleOf(interval).describe()).memo).toEqual(installation);
    // They ask once a minute.
    for (const each of running) {
      await each.exited;
      expect(each.log()).toContain('belongs to another database of this installation');
    }
    await expect(instance.addWorker()).rejects.toThrow('belongs to another database');
  });
});
