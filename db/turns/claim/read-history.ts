import type { Database } from '../../core/database.ts';
import { historyStatement, toHistory, type TurnHistory } from '../../transcripts/index.ts';
import type { StepRef } from '../steps/step-ref.ts';

/**
 * Reads the whole conversation of a turn whose claim gave an outline of it, and counts the read until `noteRead` tells
 * that its process has survived it. `undefined` when another attempt has begun.
 */
export async function readHistory(
  { tenant }: Database,
  { orgId, turnId, attempt, step }: StepRef,
  chatId: string,
): Promise<TurnHistory | undefined> {
  const begun = {
    name: 'begin-read',
    text: `update turns set unfinished_reads = unfinished_reads + 1
      where id = $1 and attempt = $2 and step = $3 and status = 'running' returning id`,
    values: [turnId, attempt, step],
  };
  const [counted, rows] = await tenant.series(orgId, [begun, historyStatement(chatId)]);
  return counted.length === 0 ? undefined : toHistory(rows);
}

/** Notes that this process is done with the conversation of a turn. */
export async function noteRead({ tenant }: Database, { orgId, turnId }: StepRef): Promise<void> {
  await tenant.query(orgId, {
    name: 'note-read',
    text: 'update turns set unfinished_reads = 0 where id = $1 and unfinished_reads > 0',
    values: [turnId],
  });
}
