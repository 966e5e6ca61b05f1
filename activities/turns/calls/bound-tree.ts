import type { Database } from '../../../db/core/index.ts';
import { type ClaimedTurn, countIntoTree, type PlannedCall } from '../../../db/turns/index.ts';
import { refusal } from '../../tools/index.ts';
import { closedCall } from './closed-call.ts';

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
  const rootId = turn.ancestors[0]?.turnId ?? turn.id;
  let left = await countIntoTree(database, orgId, { rootId, count, atMost: maxOfTree });
  return calls.map((call) => {
    if (call.delegation === undefined) return call;
    left -= 1;
    return left >= 0 ? call : closedCall(call, tooMany(maxOfTree));
  });
}

function tooMany(maxOfTree: number): string {
  return refusal('invalid_input', `This message has used its ${maxOfTree} sub-agents. Do the rest yourself.`);
}
