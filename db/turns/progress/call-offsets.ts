import { answerLengths } from '../../../domain/turns/index.ts';
import type { Database } from '../../core/database.ts';

interface StoredCalls {
  /** The lengths of the texts of the stored steps, in order, in UTF-16 code units. */
  readonly lengths: readonly number[];
  /** The id of each call, and its step. */
  readonly calls: readonly (readonly [string, number])[];
}

// Characters beyond the basic multilingual plane are two code units each.
const UTF16_LENGTH = String.raw`char_length(text) + regexp_count(text, '[\U00010000-\U0010FFFF]')`;

/** Returns for each call of a turn how much of its answer was said before it, in UTF-16 code units. */
export async function readCallOffsets(
  { tenant }: Database,
  orgId: string,
  turnId: string,
): Promise<ReadonlyMap<string, number>> {
  const [stored] = await tenant.query<StoredCalls>(orgId, {
    name: 'read-call-offsets',
    text: `select
        (select coalesce(json_agg(${UTF16_LENGTH} order by step), '[]') from model_steps where turn_id = $1) as lengths,
        (select coalesce(json_agg(json_build_array(id, step)), '[]') from tool_calls where turn_id = $1) as calls`,
    values: [turnId],
  });
  const lengths = answerLengths(stored?.lengths ?? []);
  return new Map(stored?.calls.map(([id, step]) => [id, lengths[step] ?? 0]));
}
