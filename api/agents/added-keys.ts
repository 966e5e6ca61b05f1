import { isToolKey } from '../../builtin/index.ts';
import type { Definitions } from '../../db/definitions/index.ts';
import { findWithheld } from '../../domain/agents/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { nameInSentence } from '../../domain/resources/index.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { InvalidRequest } from '../http/problem.ts';

/** The keys of an agent that a request sets. */
interface AgentKeyChanges {
  readonly tools?: readonly string[] | undefined;
  readonly skills?: readonly string[] | undefined;
}

interface AddedKeys {
  readonly wanted: AgentKeyChanges;
  /** The keys that the agent has already. */
  readonly present?: AgentKeyChanges;
  /** The keys of the organization's own tools, where tools are wanted. */
  readonly ownTools: ReadonlySet<string>;
}

/** Returns the keys of the tools that hold in an organization, for a request that sets tools. */
export async function toolKeysFor(
  definitions: Definitions,
  orgId: string,
  { tools }: AgentKeyChanges,
): Promise<ReadonlySet<string>> {
  if (tools === undefined || tools.every(isToolKey)) return new Set();
  const heads = await definitions.heads(orgId, 'tool');
  return new Set(heads.map(({ key }) => key));
}

/**
 * Rejects giving an agent tools that nobody knows, and tools and skills that the caller may not use: it would use them
 * for others, who may. Keys that the agent has already can stay.
 */
export function checkAddedKeys(caller: OrgCaller, { wanted, present = {}, ownTools }: AddedKeys): void {
  const tools = addedTo(present.tools, wanted.tools);
  rejectUnknownTools(wanted.tools, tools, ownTools);
  const withheld = findWithheld(caller.policy, { tools, skills: addedTo(present.skills, wanted.skills) });
  if (withheld === undefined) return;
  const words = `Your permission groups do not let you use the ${nameInSentence(withheld.resource)} "${withheld.key}", so you cannot give it to an agent`;
  throw new AppError('forbidden', words);
}

function addedTo(present: readonly string[] = [], wanted: readonly string[] = []): string[] {
  return wanted.filter((key) => !present.includes(key));
}

function rejectUnknownTools(
  wanted: readonly string[] = [],
  added: readonly string[],
  ownTools: ReadonlySet<string>,
): void {
  const issues = wanted.flatMap((key, index) => {
    if (!added.includes(key) || isToolKey(key) || ownTools.has(key)) return [];
    return [{ type: 'custom', loc: ['body', 'tools', index], msg: `There is no tool "${key}"` }];
  });
  if (issues.length > 0) throw new InvalidRequest(issues);
}
