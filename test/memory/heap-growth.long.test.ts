import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Undo } from '../support/undo.ts';
import { waitUntil } from '../support/wait-until.ts';
import { ShortChats } from './short-chats.ts';
import { startWatchedInstallation, type WatchedInstallation } from './watched-installation.ts';
import type { WatchedProcess } from './watched-process.ts';

/** `EVERTURN_HEAP_CHATS=20000 npm run test:long -- test/memory` looks closer. */
const CHATS = Number(process.env['EVERTURN_HEAP_CHATS'] ?? 400);
/** Less than the entry of a map with an id for its key. */
const BYTES_OF_CHAT = 100;
/** What two collections may differ by although nothing grows: compiled code, buffers of connections. */
const NOISE_BYTES = 2_000_000;
/** Looks in a row that must find nothing less by so much. */
const SAMPLES = 10;
const SHRINKING_BYTES = 200_000;

const undo = new Undo();
let installation: WatchedInstallation;
let processes: readonly WatchedProcess[];

beforeAll(async () => {
  installation = await startWatchedInstallation(undo);
  processes = [installation.api, installation.worker];
});
afterAll(async () => undo.all());

/** Waits until no conversation is open: the worker keeps those that are. */
async function allCompleted(): Promise<void> {
  const isDone = async () => {
    const query = { namespace: 'default', query: 'ExecutionStatus = "Running"' };
    const { count } = await installation.temporal.workflowService.countWorkflowExecutions(query);
    return count.isZero() || undefined;
  };
  await waitUntil('all conversations to be complete', isDone, 120_000);
}

/** Returns the bytes that each process holds after so many more chats. */
async function usedAfter(chats: ShortChats, count: number): Promise<number[]> {
  await chats.have(count);
  await allCompleted();
  return Promise.all(processes.map(settledBytes));
}

// Some of the last turns' objects live until a timer has fired: the heap is looked at until it shrinks no more.
async function settledBytes(each: WatchedProcess): Promise<number> {
  let least = await each.usedBytes();
  for (let samples = 0; samples < SAMPLES; samples += 1) {
    const bytes = await each.usedBytes();
    if (bytes < least - SHRINKING_BYTES) samples = 0;
    least = Math.min(least, bytes);
  }
  return least;
}

test(
  'chats that are over leave nothing behind in the memory of the processes',
  async () => {
    const chats = await ShortChats.open(installation.apiUrl, installation.model.url);
    // What is compiled, cached and connected once belongs to the first half.
    const before = await usedAfter(chats, CHATS / 2);
    const after = await usedAfter(chats, CHATS / 2);
    const growth = processes.map(({ name }, at) => ({ name, bytes: (after[at] ?? 0) - (before[at] ?? 0) }));
    process.stdout.write(`heap after ${CHATS} chats: ${after.join(', ')}; growth: ${JSON.stringify(growth)}\n`);
    const most = NOISE_BYTES + (CHATS / 2) * BYTES_OF_CHAT;
    expect(growth.filter(({ bytes }) => bytes > most)).toEqual([]);
  },
  1_800_000 + CHATS * 500,
);
