import { DefaultLogger, makeTelemetryFilterString, type NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { Logger } from 'pino';
import { CALLERS } from '../activities/callers.ts';
import type { Activities } from '../activities/index.ts';
import { callerGuard } from '../activities/core/caller-guard.ts';
import { heartbeatInterceptor } from '../activities/core/cancellation.ts';
import { failureInterceptor } from '../activities/core/failure-interceptor.ts';
import { TIME_BUCKETS, TIMED } from '../domain/telemetry/meter.ts';
import { TASK_QUEUE } from '../workflows/core/contract.ts';
import { workflowBundle } from './workflow-bundle.ts';

/**
 * The SDK's warning when the code of a workflow has failed: it throws, cannot be loaded, or does not replay. The engine
 * repeats the task for ever, and turns may be answered all the same, so that nobody would notice.
 */
const WORKFLOW_TASK_FAILED = 'Failing workflow task';

/** Returns whether a line of the SDK says that it repeats a call that Temporal does not answer. */
export function isRetriedCall(message: string): boolean {
  return message.startsWith('gRPC call ') && message.includes(' retried ');
}

/**
 * Sends the logs of the Temporal SDK to the process's log, and has it serve metrics at an address. Call it once, before
 * any connection is made.
 */
export function installRuntime(log: Logger, metricsAddress: string | undefined): void {
  const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const;
  Runtime.install({
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      const logged = message === WORKFLOW_TASK_FAILED ? 'error' : levels[level];
      log[logged]({ ...meta }, message);
    }),
    telemetryOptions: {
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) },
      ...(metricsAddress !== undefined && {
        metrics: {
          attachServiceName: false,
          // In seconds, as other SDKs and the dashboards for Temporal have them.
          prometheus: {
            bindAddress: metricsAddress,
            useSecondsForDurations: true,
            histogramBucketOverrides: Object.fromEntries(Object.keys(TIMED).map((name) => [name, TIME_BUCKETS])),
          },
        },
      }),
    },
  });
}

interface TemporalWorkerOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly activities: Activities;
  readonly log: Logger;
  /** Returns whether all workers run the same workflow code. */
  readonly workersAgree: () => boolean;
}

/** Creates a worker for every workflow and activity, tuned for a small machine and streamed replies. */
export async function createTemporalWorker({
  connection,
  namespace,
  activities,
  log,
  workersAgree,
}: TemporalWorkerOptions): Promise<Worker> {
  return Worker.create({
    connection,
    namespace,
    taskQueue: TASK_QUEUE,
    workflowBundle: await workflowBundle(log),
    activities,
    // A history with a patch replays on no version that lacks it.
    patchActivationCallback: workersAgree,
    interceptors: { activity: [callerGuard(CALLERS, log), failureInterceptor(log), heartbeatInterceptor] },
    // A turn waits for its provider, not for a processor.
    maxConcurrentActivityTaskExecutions: 400,
    // A local activity occupies the task of its workflow for as long as it waits for a turn.
    maxConcurrentLocalActivityExecutions: 400,
    maxConcurrentWorkflowTaskExecutions: 400,
    maxCachedWorkflows: 1_000,
    maxEagerActivityReservationsPerWorkflowTask: 8,
    workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 5 },
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 5 },
    // A conversation whose worker was killed moves to another one after this time.
    stickyQueueScheduleToStartTimeout: '2s',
    // Half of the heartbeat timeout: each heartbeat is a write in the server, even for turns that only wait for tokens.
    maxHeartbeatThrottleInterval: '4s',
    defaultHeartbeatThrottleInterval: '4s',
    shutdownForceTime: '8s',
  });
}
