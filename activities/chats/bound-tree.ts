import type { Database } from '../../db/core/index.ts';
import { type ClaimedTurn, countIntoTree, type PlannedCall } from '../../db/turns/index.ts';
import { refusal } from '../tools/index.ts';

interface TreeOptions {
  readonly orgId: string;
  /** Sub-agents below one turn at the root, at all levels together; 0 is unlimited. */
  readonly maxOfTree: number;
}

/** Refuses the delegations that are too many for the whole tree that the turn belongs to. */
export async function boundTree(
  database: Database,
  turn: ClaimedTurn,
  calls: readonly PlannedCall[],
  { orgId, maxOfTree }: TreeOptions,
): Promise<readonly PlannedCall[]> {
  const count = calls.filter(({ delegation }) => delegation !== undefined).length;
  if (count === 0 || maxOfTree === 0) return calls;
  const rootId = turn.watchers[0]?.turnId ?? turn.id;
  let left = await countIntoTree(database, orgId, { rootId, count, atMost: maxOfTree });
  return calls.map((call) => {
    if (call.delegation === undefined) return call;
    left -= 1;
    return left >= 0 ? call : refused(call, maxOfTree);
  });
}

function refused(call: PlannedCall, maxOfTree: number): PlannedCall {
  const result = refusal(
    'invalid_input',
    `All sub-agents that work for one message, at all levels, may be ${maxOfTree}, and there have been as many. Do the rest yourself.`,
  );
  return { ...call, label: call.name, effect: 'read', outcome: { status: 'error', result }, delegation: undefined };
}
