import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { preciseNow } from '../../test/support/scripted-model/index.ts';
import type { TurnTimes } from '../drivers/driver-protocol.ts';
import { report, serveCommands } from '../drivers/serve-commands.ts';
import { sum } from '../figures/statistics.ts';
import type { FloorShape } from './floor-shape.ts';
import type { EagerStart, FloorNotice } from './floor-worker.ts';
import type { FloorTurn } from './floor-workflow.ts';

// Drives the floor, and starts its worker, which tells of each activity:
// `node floor-driver.ts <address of Temporal> <chats>`. The work of a turn is the JSON of its shape.

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
const { workflow } = new Client({ connection: await Connection.connect({ address }) });
let newWorkflows = 0;

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

async function begin(shape: FloorShape['workflow'], turn: FloorTurn): Promise<void> {
  const taskQueue = TASK_QUEUE;
  if (shape === 'lingering') {
    const signal = { workflowId: workflowIdOf(turn.chat), taskQueue, args: [[]], signal: 'wake', signalArgs: [turn] };
    await workflow.signalWithStart('floorConversation', signal);
    return;
  }
  newWorkflows += 1;
  const workflowId = `${TASK_QUEUE}/new/${newWorkflows}`;
  if (shape === 'eager') worker.send({ workflowId, turn } satisfies EagerStart);
  else await workflow.start('floorOnce', { workflowId, taskQueue, args: [turn] });
}

serveCommands(async (chat, work = ''): Promise<TurnTimes> => {
  const { workflow: shape, activity: kind, steps } = JSON.parse(work) as FloorShape;
  const begun = activities(chat, sum(steps.map((step) => (step === 'child' ? 1 : step))));
  const sentAt = preciseNow();
  const [{ startedAt }] = await Promise.all([begun, begin(shape, { chat, kind, steps })]);
  return { sentAt, firstAt: startedAt, endedAt: preciseNow() };
});
report({
  type: 'ready',
  workflowIds: Array.from({ length: Number(count) }, (_, chat) => workflowIdOf(chat)),
  ...(worker.pid === undefined ? {} : { workerPid: worker.pid }),
});
