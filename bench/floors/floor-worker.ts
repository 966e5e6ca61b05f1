import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { preciseNow } from '../../test/support/scripted-model/index.ts';
import type { FloorActivities, FloorTurn } from './floor-workflow.ts';

// The worker of the floor: `node floor-worker.ts <address> <task queue>`. It has the options of
// worker/temporal-worker.ts, and as many slots for workflow tasks as there are chats, so that none waits for one.

/** Tells that a chat's activity has begun. */
export interface FloorNotice {
  readonly chat: number;
  readonly startedAt: number;
}

/** Has the worker start a workflow, whose first task it is then given with the answer. */
export interface EagerStart {
  readonly workflowId: string;
  readonly turn: FloorTurn;
}

const [address = '', taskQueue = ''] = process.argv.slice(2);
const activities: FloorActivities = {
  floorTurn: async (chat) => {
    process.send?.({ chat, startedAt: preciseNow() } satisfies FloorNotice);
  },
};
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  taskQueue,
  workflowsPath: fileURLToPath(new URL('./floor-workflow.ts', import.meta.url)),
  activities: { ...activities },
  maxConcurrentActivityTaskExecutions: 400,
  maxConcurrentLocalActivityExecutions: 400,
  maxConcurrentWorkflowTaskExecutions: 400,
  maxCachedWorkflows: 1_000,
  maxEagerActivityReservationsPerWorkflowTask: 8,
  workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 5 },
  activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 5 },
  stickyQueueScheduleToStartTimeout: '2s',
});
const { workflow } = new Client({ connection });
process.on('message', ({ workflowId, turn }: EagerStart) => {
  void workflow.start('floorOnce', { workflowId, taskQueue, args: [turn], requestEagerStart: true });
});
process.once('disconnect', () => worker.shutdown());
const running = worker.run();
process.send?.('ready');
await running;
await connection.close();
