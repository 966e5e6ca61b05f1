import type { Database } from '../../core/index.ts';
import { ASK_TO_STOP } from '../runs/stop-run.ts';

/** Asks the open attempt at a task to stop. */
export async function stopAttempt(database: Database, orgId: string, taskId: string): Promise<void> {
  const stopped = await database.tenant.query<{ id: string }>(orgId, {
    name: 'stop-attempt',
    text: `${ASK_TO_STOP} where task_id = $1 and not is_report and status in ('queued', 'running') returning id`,
    values: [taskId],
  });
  if (stopped.length > 0) await database.follow([{ stoppedTurns: stopped.map(({ id }) => id) }]);
}
