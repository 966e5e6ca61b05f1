import { agentForTurn } from '../../agents/index.ts';
import type { Statement } from '../../core/sql-pool.ts';
import type { TurnChat, TurnOwner, TurnPart } from './turn-part.ts';
import { memoriesForTurn } from '../../memories/index.ts';
import { chainForTurn } from '../../provider-chains/index.ts';
import { accountsForTurn } from '../../providers/index.ts';
import { projectsForTurn } from '../../project-context/index.ts';
import { historyForTurn } from '../../transcripts/index.ts';

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
export type TurnParts = { readonly [K in keyof Parts]: ReturnType<Parts[K]['of']> };

const LIST: readonly (readonly [string, TurnPart<object, unknown>])[] = Object.entries(PARTS);

/** Returns the statements that read all parts, in their order. */
export function partStatements(chat: TurnChat): Statement[] {
  return LIST.map(([, part]) => part.statement(chat));
}

/** Makes the parts from the rows that their statements returned. */
export function partsOf(results: readonly (readonly object[])[], owner: TurnOwner): TurnParts {
  const parts = LIST.map(([name, part], index) => [name, part.of(results[index] ?? [], owner)]);
  // `PARTS` maps each name to its part.
  return Object.fromEntries(parts) as TurnParts;
}
