import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { preciseNow } from '../test/support/scripted-model/index.ts';
import { serveCommands, tell } from './closed-loop.ts';
import type { TurnTimes } from './driver-protocol.ts';
import type { FloorNotice } from './floor-worker.ts';

// Drives the floor, and starts its worker, which tells of each activity: `node floor-driver.ts <address of Temporal> <chats>`.

const TASK_QUEUE = 'bench-floor';

const [address = '', count = '1'] = process.argv.slice(2);
const workflowIdOf = (chat: number): string => `bench-floor/${chat}`;
const waiting = new Map<number, (notice: FloorNotice) => void>();
const worker = fork(fileURLToPath(new URL('./floor-worker.ts', import.meta.url)), [address, TASK_QUEUE], {
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
});
await once(worker, 'message');
worker.on('message', (notice: FloorNotice) => waiting.get(notice.chat)?.(notice));
const client = new Client({ connection: await Connection.connect({ address }) });

serveCommands(async (chat): Promise<TurnTimes> => {
  const begun = new Promise<FloorNotice>((resolve) => waiting.set(chat, resolve));
  const sentAt = preciseNow();
  const signalled = client.workflow.signalWithStart('floorConversation', {
    workflowId: workflowIdOf(chat),
    taskQueue: TASK_QUEUE,
    args: [chat],
    signal: 'wake',
    signalArgs: [],
  });
  const [{ startedAt }] = await Promise.all([begun, signalled]);
  return { sentAt, firstAt: startedAt, endedAt: preciseNow() };
});
tell({
  type: 'ready',
  workflowIds: Array.from({ length: Number(count) }, (_, chat) => workflowIdOf(chat)),
  ...(worker.pid === undefined ? {} : { workerPid: worker.pid }),
});
