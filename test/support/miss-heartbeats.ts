import { Client, Connection, isGrpcServiceError } from '@temporalio/client';
import proto from '@temporalio/proto';

const { PENDING_ACTIVITY_STATE_STARTED: STARTED } = proto.temporal.api.enums.v1.PendingActivityState;
/** The status of gRPC. */
const NOT_FOUND: number = 5;

/**
 * Fails what workers that are gone have begun, as the server does when the time for a heartbeat is over. It still waits
 * for what sends no heartbeats, and for what is not tried again: its workflow sees how that ended.
 */
export async function missHeartbeats(address: string): Promise<void> {
  const connection = await Connection.connect({ address });
  const { workflow, workflowService } = new Client({ connection });
  for await (const { workflowId, runId } of workflow.list({ query: "ExecutionStatus = 'Running'" })) {
    const { raw } = await workflow.getHandle(workflowId, runId).describe();
    for (const { activityId, state, maximumAttempts, activityOptions } of raw.pendingActivities ?? []) {
      if (state !== STARTED || maximumAttempts === 1 || !activityOptions?.heartbeatTimeout) continue;
      const failure = { message: 'heartbeat missed', applicationFailureInfo: { type: 'HeartbeatMissed' } };
      await workflowService
        .respondActivityTaskFailedById({
          namespace: 'default',
          workflowId,
          runId,
          activityId: activityId ?? null,
          failure,
        })
        .catch((error: unknown) => {
          // The time was over by itself: a worker tells of heartbeats long after each other.
          if (!isGrpcServiceError(error) || (error.code as number) !== NOT_FOUND) throw error;
        });
    }
  }
  await connection.close();
}
