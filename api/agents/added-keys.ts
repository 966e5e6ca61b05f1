import { isToolKey } from '../../builtin/index.ts';
import type { Definitions } from '../../db/definitions/index.ts';
import { findWithheld } from '../../domain/agents/index.ts';
import { ANY_TOOL, type ApprovalModes } from '../../domain/approvals/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { nameInSentence } from '../../domain/resources/index.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { InvalidRequest } from '../http/problem.ts';

/** The keys of an agent that a request sets. */
interface AgentKeyChanges {
  readonly tools?: readonly string[] | undefined;
  readonly skills?: readonly string[] | undefined;
}

/** Tells which keys mean something in an organization. */
export interface KnownKeys {
  readonly tools: (key: string) => boolean;
  readonly skills: (key: string) => boolean;
}

interface AddedKeys {
  readonly wanted: AgentKeyChanges;
  /** The keys that the agent has already. */
  readonly present?: AgentKeyChanges;
  readonly known: KnownKeys;
}

/**
 * Returns which of the keys that a request sets mean something. The organization's own definitions are read only where
 * the request names others than those of the service.
 */
export async function knownAmong(
  definitions: Definitions,
  orgId: string,
  { tools = [], skills = [], modes = {} }: AgentKeyChanges & { readonly modes?: ApprovalModes | undefined },
): Promise<KnownKeys> {
  const isSkillKey = (key: string) => definitions.shipped.find('skill', key) !== undefined;
  const [ownTools, ownSkills] = await Promise.all([
    [...tools, ...Object.keys(modes)].every((key) => key === ANY_TOOL || isToolKey(key))
      ? []
      : definitions.heads(orgId, 'tool'),
    skills.every(isSkillKey) ? [] : definitions.heads(orgId, 'skill'),
  ]);
  return {
    tools: (key) => isToolKey(key) || ownTools.some((tool) => tool.key === key),
    skills: (key) => isSkillKey(key) || ownSkills.some((skill) => skill.key === key),
  };
}

/**
 * Rejects giving an agent tools and skills that nobody knows, and those that the caller may not use: it would use them
 * for others, who may. Keys that the agent has already can stay.
 */
export function checkAddedKeys(caller: OrgCaller, { wanted, present = {}, known }: AddedKeys): void {
  const issues = [
    ...unknownIssues('tools', wanted, { present, known }),
    ...unknownIssues('skills', wanted, { present, known }),
  ];
  if (issues.length > 0) throw new InvalidRequest(issues);
  const withheld = findWithheld(caller.policy, {
    tools: addedTo(present.tools, wanted.tools),
    skills: addedTo(present.skills, wanted.skills),
  });
  if (withheld === undefined) return;
  const words = `Your permission groups do not let you use the ${nameInSentence(withheld.resource)} "${withheld.key}", so you cannot give it to an agent`;
  throw new AppError('forbidden', words);
}

function addedTo(present: readonly string[] = [], wanted: readonly string[] = []): string[] {
  return wanted.filter((key) => !present.includes(key));
}

function unknownIssues(
  field: 'tools' | 'skills',
  { [field]: wanted = [] }: AgentKeyChanges,
  { present, known }: { readonly present: AgentKeyChanges; readonly known: KnownKeys },
) {
  const added = addedTo(present[field], wanted);
  return wanted.flatMap((key, index) => {
    if (!added.includes(key) || known[field](key)) return [];
    return [{ type: 'custom', loc: ['body', field, index], msg: `There is no ${nameInSentence(field)} "${key}"` }];
  });
}
