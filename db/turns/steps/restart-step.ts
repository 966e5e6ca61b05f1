import type { Database } from '../../core/database.ts';
import type { StepRef } from './step-ref.ts';

/**
 * Restarts a step with another provider, replacing the first one's text. Returns the number of the new attempt, or
 * `undefined` when this one is late.
 */
export async function restartStep({ tenant }: Database, ref: StepRef): Promise<number | undefined> {
  const [row] = await tenant.query<{ attempt: number }>(ref.orgId, {
    name: 'restart-step',
    text: `update turns set attempt = attempt + 1 where id = $1 and attempt = $2 and step = $3 and status = 'running'
      returning attempt`,
    values: [ref.turnId, ref.attempt, ref.step],
  });
  return row?.attempt;
}
