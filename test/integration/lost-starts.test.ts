import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Client, ScheduleOverlapPolicy } from '@temporalio/client';
import type { DueWork } from '../../domain/core/due-work.ts';
import { recoverDueWork } from '../../worker/recover-due-work.ts';
import { housekeepingId } from '../../workflows/housekeeping/contract.ts';
import { isLong } from '../support/in-length.ts';
import { startOwnInstance, startTestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import {
  type LostStart,
  instance,
  temporal,
  cutOff,
  valve,
  user,
  age,
  openInstallation,
  closeInstallation,
} from './lost-starts-installation.ts';
import { LOST_STARTS } from './lost-starts-of-api.ts';
import { LOST_BY_WORKER } from './lost-starts-of-worker.ts';

const ALL = [...Object.keys(LOST_STARTS), ...Object.keys(LOST_BY_WORKER)];

/** What is lost of each kind of due work. */
const LOST_OF: Readonly<Record<DueWork['kind'], string>> = {
  channel: 'a message that a channel has received',
  chat: 'a decision about a call',
  document: 'a document',
  embedding: 'the choice of a model for vectors',
  'file-text': 'a file',
  'grant-revocation': 'the end of a grant of an integration',
  'issue-push': 'a change that a code host is told',
  'issue-sync': 'a sync with a code host',
  'marketplace-index': 'a request to fetch an index',
  messages: 'the words of a message',
  'repo-tree': 'a repository',
  run: 'a run by hand',
  schedule: 'a schedule',
  task: 'a task',
  webhook: 'a delivery of a webhook',
};

/** Those of messages, runs, schedules, tasks and some of what follows other writes. */
const IN_EVERY_RUN = [
  'a message',
  'the words of a message',
  'a decision about a call',
  'a run by hand',
  'an interrupt of a run',
  'a schedule',
  'a task',
  'a delivery of a webhook',
  'a file',
  'a repository',
  'the deletion of an organization',
  'the end of the turn of a run',
  'the end of a run that is stopped while a call of a sub-agent waits for a decision',
];
const names = isLong ? ALL : IN_EVERY_RUN;

let lost: ReadonlyMap<string, LostStart>;

test('a start of each kind of work is lost', () => {
  expect(ALL).toEqual(expect.arrayContaining(Object.values(LOST_OF)));
});

async function untilDone(name: string): Promise<void> {
  const { outcome, once } = lost.get(name) as LostStart;
  let last: unknown;
  await waitUntil('it to be done', async () => {
    last = await outcome();
    return isEqual(last, once) ? true : undefined;
  }).catch(() => undefined);
  expect(last).toEqual(once);
}

describe('what was stored, and never begun, is done once by a worker that starts, beside other scans:', () => {
  beforeAll(async () => {
    // Only one of its own can fetch an index.
    await openInstallation(async (marketplaceIndexes) =>
      isLong ? startOwnInstance({ marketplaceIndexes }) : startTestInstance(),
    );
    const ofApi = await prepare(LOST_STARTS, names);
    const ofWorker = await prepare(LOST_BY_WORKER, names);
    valve.shut();
    for (const { store } of ofWorker.values()) await store();
    await instance.killWorkers();
    for (const { store } of ofApi.values()) await store();
    lost = new Map([...ofApi, ...ofWorker]);
    const done = new Set<string>();
    for (const [name, { outcome, once }] of lost) if (isEqual(await outcome(), once)) done.add(name);
    expect(done).toEqual(new Set());
    await age();
    // It scans when it starts, which is what begins a file.
    await instance.addWorker();
    await untilDone('a file');
    const scan = async () => recoverDueWork({ database: instance.api.database, client: temporal });
    await Promise.all([scan(), scan()]);
    await scan();
    await temporal.schedule.getHandle(housekeepingId({ interval: 'minute' })).trigger(ScheduleOverlapPolicy.ALLOW_ALL);
  });
  afterAll(async () => {
    await closeInstallation();
  });

  test.each(names)('%s', untilDone);

  test('and not again by another scan, which finds nothing', async () => {
    const started: string[] = [];
    // Others may have left work for servers that are gone.
    const take = async (_type: string, { workflowId }: { workflowId: string }) => {
      if (workflowId.includes(user.orgId)) started.push(workflowId);
    };
    const client = {
      withDeadline: async (_: number, work: () => unknown) => work(),
      workflow: { start: take, signalWithStart: take },
    } as unknown as Client;
    await waitUntil('a scan to find nothing', async () => {
      started.length = 0;
      await recoverDueWork({ database: cutOff.database, client });
      return started.length === 0 ? true : undefined;
    });
    for (const [name, { outcome, once }] of lost) expect([name, await outcome()]).toEqual([name, once]);
  });
});

async function prepare(
  starts: Readonly<Record<string, () => Promise<LostStart>>>,
  names: readonly string[],
): Promise<Map<string, LostStart>> {
  const prepared = new Map<string, LostStart>();
  for (const [name, preparation] of Object.entries(starts))
    if (names.includes(name)) prepared.set(name, await preparation());
  return prepared;
}

function isEqual(value: unknown, expected: unknown): boolean {
  try {
    expect(value).toEqual(expected);
    return true;
  } catch {
    return false;
  }
}
