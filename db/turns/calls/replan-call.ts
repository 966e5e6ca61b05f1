import type { Effect } from '../../../domain/tool-calls/index.ts';
import type { Database } from '../../core/database.ts';

/**
 * Stores effect and label of the arguments that a person has approved instead of the model's. Stores nothing when a
 * later attempt has begun, or when the call does not run.
 */
export async function replanCall(
  { tenant }: Database,
  orgId: string,
  { id, attempt, effect, label }: { readonly id: string; readonly attempt: number; effect: Effect; label: string },
): Promise<void> {
  await tenant.query(orgId, {
    name: 'replan-call',
    text: `update tool_calls set effect = $3, label = $4
      where id = $1 and attempt = $2 and status = 'running'`,
    values: [id, attempt, effect, label],
  });
}
