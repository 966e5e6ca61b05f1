import type { ToolSource } from '../toolset.ts';
import { builtinTools } from './builtin.ts';
import { delegation } from './delegation.ts';
import type { DelegationDeps } from './delegation/plan-delegations.ts';

/** What the sources are made from. */
export type SourceDeps = DelegationDeps;

/** Every source of tools; where two give a tool of the same key, the first one's counts. */
export function toolSources(deps: SourceDeps): readonly ToolSource[] {
  return [builtinTools, delegation(deps)];
}
