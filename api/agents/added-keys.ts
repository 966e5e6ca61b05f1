import {
  type AgentKeyChanges,
  findUnknownKeys,
  type KnownKeys,
  requireMayGive,
  wordsOfUnknown,
} from '../../domain/agents/index.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { InvalidRequest } from '../http/problem.ts';

interface AddedKeys {
  readonly wanted: AgentKeyChanges;
  /** The keys that the agent has already. */
  readonly present?: AgentKeyChanges;
  readonly known: KnownKeys;
}

/** Rejects giving an agent tools and skills that nobody knows, and those that the caller may not use. */
export function checkAddedKeys(
  { policy }: Pick<OrgCaller, 'policy'>,
  { wanted, present = {}, known }: AddedKeys,
): void {
  const issues = findUnknownKeys(wanted, present, known).map((unknown) => {
    return { type: 'custom', loc: ['body', unknown.field, unknown.index], msg: wordsOfUnknown(unknown) };
  });
  if (issues.length > 0) throw new InvalidRequest(issues);
  requireMayGive(policy, wanted, present);
}
