import { heartbeat } from '@temporalio/activity';

/** Well below the heartbeat timeouts of the workflows, so that a busy process is not taken for dead. */
const INTERVAL_MS = 2_000;

/** Reports to Temporal that the attempt is alive for as long as `work` takes. */
export async function withHeartbeat<T>(work: () => Promise<T>): Promise<T> {
  const timer = setInterval(heartbeat, INTERVAL_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
