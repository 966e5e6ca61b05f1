import type { Database } from '../core/database.ts';
import type { StepPlace } from './step-usage.ts';

/**
 * Begins a step anew with another provider: what the first one said is replaced. Answers the number of the new attempt,
 * or `undefined` when this one is late.
 */
export async function restartStep({ tenant }: Database, place: StepPlace): Promise<number | undefined> {
  const [row] = await tenant.query<{ attempt: number }>(place.orgId, {
    name: 'restart-step',
    text: `update turns set attempt = attempt + 1 where id = $1 and attempt = $2 and step = $3 and status = 'running'
      returning attempt`,
    values: [place.turnId, place.attempt, place.step],
  });
  return row?.attempt;
}
