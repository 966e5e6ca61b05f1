import { isDeepStrictEqual } from 'node:util';
import { cannotDirect, findWithheld } from '../../domain/agents.ts';
import type { Policy } from '../../domain/permissions/index.ts';
import type { AgentFields } from './agents.ts';

/**
 * What an agent is told: the fields that its prompt is made of, and the servers whose tools describe themselves to it.
 * Its description is told to those that may delegate to it.
 */
const TOLD = [
  'description',
  'systemPrompt',
  'soul',
  'personaId',
  'skills',
  'mcps',
] as const satisfies readonly (keyof AgentFields)[];

type Told = Pick<AgentFields, (typeof TOLD)[number] | 'tools'>;

/**
 * Rejects changing what an agent is told, unless its caller could give it all that it has before and after: who may not
 * give it a tool may not direct it either, since it uses the tool for others who may. Skills are taken away by whoever
 * could give it what is left.
 */
export function checkMayTell(
  policy: Policy,
  agent: Told,
  changes: { readonly [F in keyof Told]?: Told[F] | undefined },
): void {
  const changed = TOLD.filter(
    (field) => changes[field] !== undefined && !isDeepStrictEqual(changes[field], agent[field]),
  );
  if (changed.length === 0) return;
  const { tools = agent.tools, skills = agent.skills } = changes;
  const takesOnly = changed.every((field) => field === 'skills') && skills.every((key) => agent.skills.includes(key));
  const present = takesOnly ? undefined : findWithheld(policy, agent);
  const withheld = present ?? findWithheld(policy, { tools, skills });
  if (withheld !== undefined) throw cannotDirect(withheld);
}
