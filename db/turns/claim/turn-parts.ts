import type { Policy } from '../../../domain/permissions/policy.ts';
import { agentForTurn } from '../../agents/for-turn.ts';
import type { Statement } from '../../core/sql-pool.ts';
import { memoriesForTurn } from '../../memories.ts';
import { MEMBER_OF_CHAT, type MemberRow, policyOfMember } from '../../permissions/for-turn.ts';
import { projectsForTurn } from '../../project-context.ts';
import { chainForTurn } from '../../provider-chains.ts';
import { accountsForTurn } from '../../providers/for-turn.ts';
import { historyForTurn } from '../../transcripts/for-turn.ts';

/** The parts that the capabilities give to a turn: one line each. */
const PARTS = {
  agent: agentForTurn,
  chain: chainForTurn,
  accounts: accountsForTurn,
  memories: memoriesForTurn,
  projects: projectsForTurn,
  history: historyForTurn,
};

type Parts = typeof PARTS;

/** The parts as a turn has them. */
export type TurnParts = { readonly [K in keyof Parts]: ReturnType<Parts[K]['of']> } & {
  /** The user's current policy; null when they are no longer a member of the organization. */
  readonly policy: Policy | null;
};

/** The rows of each part; null for none. */
type PartRows = { readonly [K in keyof Parts]: readonly object[] | null } & {
  readonly member: readonly MemberRow[] | null;
};

const LIST = Object.entries(PARTS) as readonly (readonly [keyof Parts, TurnPart<object, unknown>])[];

const TEXT = `select ${[['member', MEMBER_OF_CHAT], ...LIST.map(([name, { text }]) => [name, text])]
  .map(([name, text]) => `(select json_agg(r) from (${text}) r) as "${name}"`)
  .join(',\n  ')}
from chats c join agents a on a.id = c.agent_id where c.id = $1`;

/** Returns the statement that reads all parts: seven of their own would cost the worker twice as much. */
export function readParts({ chatId }: TurnChat): Statement<PartRows> {
  return { name: 'turn-parts', text: TEXT, values: [chatId] };
}

/** Makes the parts of what `readParts` returned. */
export function partsOf(rows: PartRows, userId: string): TurnParts {
  const policy = policyOfMember(rows.member?.[0]);
  const parts = LIST.map(([name, part]) => [name, part.of(rows[name] ?? [], { userId, policy })]);
  // `PARTS` maps each name to its part.
  return { policy, ...Object.fromEntries(parts) } as TurnParts;
}

/** The chat whose oldest open turn is read. */
export interface TurnChat {
  readonly orgId: string;
  readonly chatId: string;
}

/** The user whom a turn works for. */
interface TurnOwner {
  readonly userId: string;
  /** The user's current policy; null when they are no longer a member of the organization. */
  readonly policy: Policy | null;
}

/** One capability's part of what a step of a turn works with. */
export interface TurnPart<R extends object, Part> {
  /** Reads the rows of `chats c`, whose id is `$1`, and its `agents a`. */
  readonly text: string;
  /** Makes the part of the rows, which are read as JSON, restricted to what the owner may use. */
  of(rows: readonly R[], owner: TurnOwner): Part;
}
