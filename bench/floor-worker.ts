import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { preciseNow } from '../test/support/scripted-model/index.ts';
import type { FloorActivities } from './floor-workflow.ts';

// The worker of the floor, with the options of worker/temporal-worker.ts: `node floor-worker.ts <address> <task queue>`.

/** Tells that a chat's activity has begun. */
export interface FloorNotice {
  readonly chat: number;
  readonly startedAt: number;
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
  maxConcurrentWorkflowTaskExecutions: 40,
  maxCachedWorkflows: 1_000,
  maxEagerActivityReservationsPerWorkflowTask: 8,
  workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 5 },
  activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 5 },
  stickyQueueScheduleToStartTimeout: '2s',
});
process.once('disconnect', () => worker.shutdown());
const running = worker.run();
process.send?.('ready');
await running;
await connection.close();
