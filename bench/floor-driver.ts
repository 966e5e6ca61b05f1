import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { preciseNow } from '../test/support/scripted-model/index.ts';
import { serveCommands, tell } from './closed-loop.ts';
import type { TurnTimes } from './driver-protocol.ts';
import type { FloorNotice } from './floor-worker.ts';
import type { FloorStep } from './floor-workflow.ts';
import { sum } from './statistics.ts';

// Drives the floor, and starts its worker, which tells of each activity: `node floor-driver.ts <address of Temporal> <chats>`.
// The work of a turn is the JSON of its steps.

// Of this driver only: what an earlier one left behind is not met again.
const TASK_QUEUE = `bench-floor/${process.pid}`;

const [address = '', count = '1'] = process.argv.slice(2);
const workflowIdOf = (chat: number): string => `${TASK_QUEUE}/${chat}`;
const waiting = new Map<number, (notice: FloorNotice) => void>();
const worker = fork(fileURLToPath(new URL('./floor-worker.ts', import.meta.url)), [address, TASK_QUEUE], {
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
});
await once(worker, 'message');
worker.on('message', (notice: FloorNotice) => waiting.get(notice.chat)?.(notice));
const client = new Client({ connection: await Connection.connect({ address }) });

/** Resolves to the first of so many activities of a chat when the last one has begun. */
async function activities(chat: number, expected: number): Promise<FloorNotice> {
  return new Promise((resolve) => {
    const notices: FloorNotice[] = [];
    waiting.set(chat, (notice) => {
      notices.push(notice);
      if (notices.length === expected) resolve(notices[0] ?? notice);
    });
  });
}

serveCommands(async (chat, work = '[1]'): Promise<TurnTimes> => {
  const steps = JSON.parse(work) as FloorStep[];
  const begun = activities(chat, sum(steps.map((step) => (step === 'child' ? 1 : step))));
  const sentAt = preciseNow();
  const signalled = client.workflow.signalWithStart('floorConversation', {
    workflowId: workflowIdOf(chat),
    taskQueue: TASK_QUEUE,
    args: [chat],
    signal: 'wake',
    signalArgs: [steps],
  });
  const [{ startedAt }] = await Promise.all([begun, signalled]);
  return { sentAt, firstAt: startedAt, endedAt: preciseNow() };
});
tell({
  type: 'ready',
  workflowIds: Array.from({ length: Number(count) }, (_, chat) => workflowIdOf(chat)),
  ...(worker.pid === undefined ? {} : { workerPid: worker.pid }),
});
