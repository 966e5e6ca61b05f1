import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Connection } from '@temporalio/client';
import { startTemporal } from '../../scripts/stack/temporal/start-temporal.ts';
import { freePort } from '../support/free-port.ts';
import { startScriptedModel } from '../support/scripted-model/index.ts';
import { sharedServices } from '../support/shared-services.ts';
import { TEST_SECRET_KEY } from '../support/test-api.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { Undo } from '../support/undo.ts';
import { waitUntil } from '../support/wait-until.ts';
import { ShortChats } from './short-chats.ts';
import { startWatchedProcess, type WatchedProcess } from './watched-process.ts';

/** A run of all tests can spare few; `EVERTURN_HEAP_CHATS=20000 npm test -- test/memory` looks closer. */
const CHATS = Number(process.env['EVERTURN_HEAP_CHATS'] ?? 400);
/** Less than the entry of a map with an id for its key. */
const BYTES_OF_CHAT = 100;
/** What two collections may differ by although nothing grows: compiled code, buffers of connections. */
const NOISE_BYTES = 2_000_000;
/** Looks in a row that must find nothing less by so much. */
const LOOKS = 10;
const SHRINKING_BYTES = 200_000;

const undo = new Undo();
let processes: readonly WatchedProcess[];
let temporal: Connection;
let apiUrl: string;
let modelUrl: string;

beforeAll(async () => {
  const database = await createTestDatabase();
  undo.add(database.drop);
  const server = await startTemporal({
    binary: sharedServices().temporalBinary,
    port: await freePort(),
    log: () => undefined,
  });
  undo.add(server.stop);
  const model = await startScriptedModel();
  undo.add(model.close);
  temporal = await Connection.connect({ address: server.address });
  undo.add(async () => temporal.close());
  const port = await freePort();
  const environment = {
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: server.address,
    SECRET_KEY: TEST_SECRET_KEY,
    ALLOW_PRIVATE_HOSTS: `127.0.0.1:${model.port}`,
    REGISTRATION: 'open',
    PORT: String(port),
    API_RATE_LIMIT: '0',
  };
  processes = (['api', 'worker'] as const).map((name) => startWatchedProcess(name, environment));
  for (const each of processes) undo.add(each.kill);
  [apiUrl, modelUrl] = [`http://127.0.0.1:${port}`, model.url];
  const isUp = async () =>
    fetch(`${apiUrl}/readyz`).then(
      ({ ok }) => ok || undefined,
      () => undefined,
    );
  await waitUntil('the api to be ready', isUp);
}, 120_000);
afterAll(async () => undo.all(), 60_000);

/** Waits until no conversation is open: the worker keeps those that are. */
async function allCompleted(): Promise<void> {
  const isDone = async () => {
    const query = { namespace: 'default', query: 'ExecutionStatus = "Running"' };
    const { count } = await temporal.workflowService.countWorkflowExecutions(query);
    return count.isZero() || undefined;
  };
  await waitUntil('all conversations to be complete', isDone, 120_000);
}

/** Returns the bytes that each process holds after so many more chats. */
async function heldAfter(chats: ShortChats, count: number): Promise<number[]> {
  await chats.have(count);
  await allCompleted();
  return Promise.all(processes.map(settledBytes));
}

// Some of the last turns' objects live until a timer has fired: the heap is looked at until it shrinks no more.
async function settledBytes(each: WatchedProcess): Promise<number> {
  let least = await each.heldBytes();
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const bytes = await each.heldBytes();
    if (bytes < least - SHRINKING_BYTES) looks = 0;
    least = Math.min(least, bytes);
  }
  return least;
}

test(
  'chats that are over leave nothing behind in the memory of the processes',
  async () => {
    const chats = await ShortChats.open(apiUrl, modelUrl);
    // What is compiled, cached and connected once belongs to the first half.
    const before = await heldAfter(chats, CHATS / 2);
    const after = await heldAfter(chats, CHATS / 2);
    const growth = processes.map(({ name }, at) => ({ name, bytes: (after[at] ?? 0) - (before[at] ?? 0) }));
    process.stdout.write(`heap after ${CHATS} chats: ${after.join(', ')}; growth: ${JSON.stringify(growth)}\n`);
    const most = NOISE_BYTES + (CHATS / 2) * BYTES_OF_CHAT;
    expect(growth.filter(({ bytes }) => bytes > most)).toEqual([]);
  },
  300_000 + CHATS * 500,
);
