import { isDeepStrictEqual } from 'node:util';
import type { AgentFields } from '../../db/agents/index.ts';
import { findWithheld } from '../../domain/agents/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { nameInSentence } from '../../domain/resources/index.ts';
import type { OrgCaller } from '../context/api-context.ts';

/** What an agent is told: the fields that its prompt is made of, and the servers whose tools describe themselves to it. */
const TOLD = ['systemPrompt', 'soul', 'personaId', 'skills', 'mcps'] as const satisfies readonly (keyof AgentFields)[];

type Told = Pick<AgentFields, (typeof TOLD)[number] | 'tools'>;

/**
 * Rejects changing what an agent is told, unless its caller could give it all that it then has: who may not give it a tool
 * may not direct it either, since it uses the tool for others who may.
 */
export function checkMayTell(
  { policy }: Pick<OrgCaller, 'policy'>,
  agent: Told,
  changes: { readonly [F in keyof Told]?: Told[F] | undefined },
): void {
  const isToldOtherwise = TOLD.some(
    (field) => changes[field] !== undefined && !isDeepStrictEqual(changes[field], agent[field]),
  );
  if (!isToldOtherwise) return;
  const { tools = agent.tools, skills = agent.skills } = changes;
  const withheld = findWithheld(policy, { tools, skills });
  if (withheld === undefined) return;
  const words = `The agent has the ${nameInSentence(withheld.resource)} "${withheld.key}", which your permission groups do not let you use, so you cannot change what it is told`;
  throw new AppError('forbidden', words);
}
