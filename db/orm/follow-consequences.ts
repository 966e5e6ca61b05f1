import { ACCESS_CHANNEL } from '../auth/index.ts';
import type { Consequences } from '../core/after-commit.ts';
import type { Database } from '../core/index.ts';
import { CONTROL_CHANNEL, wakeWaitingTurns } from '../turns/index.ts';

/** Tells every process what has changed, in one statement, and wakes the turns that may go on. */
export async function followConsequences(
  { stream, tenant }: Pick<Database, 'stream' | 'tenant'>,
  consequences: readonly Consequences[],
): Promise<void> {
  const turns = distinct(consequences.flatMap(({ stoppedTurns = [] }) => stoppedTurns));
  const users = distinct(consequences.flatMap(({ accessOf = [] }) => accessOf));
  const woken = distinct(consequences.flatMap(({ wakesTurnsOf }) => wakesTurnsOf ?? []));
  if (turns.length + users.length > 0) {
    await stream.query('select pg_notify(channel, id) from unnest($1::text[], $2::text[]) as told (channel, id)', [
      [...turns.map(() => CONTROL_CHANNEL), ...users.map(() => ACCESS_CHANNEL)],
      [...turns, ...users],
    ]);
  }
  for (const orgId of woken) await wakeWaitingTurns({ tenant }, orgId);
}

function distinct(ids: readonly string[]): string[] {
  return [...new Set(ids)];
}
