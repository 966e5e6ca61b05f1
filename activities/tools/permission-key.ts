import { type Policy, policyAllows } from '../../domain/permissions/index.ts';
import type { Effect } from '../../domain/tool-calls/index.ts';
import type { Tool } from './tool.ts';

/** Returns the permission key that a call of the tool with this effect requires; undefined for none. */
export function keyFor({ permission: area }: Pick<Tool, 'permission'>, effect: Effect) {
  return area === undefined ? undefined : (`${area}.${effect === 'read' ? 'view' : 'manage'}` as const);
}

/** Returns whether the user holds the permission key that a call of the tool with this effect requires. */
export function holdsKeyFor(policy: Policy | null, tool: Pick<Tool, 'permission'>, effect: Effect): boolean {
  const key = keyFor(tool, effect);
  return key === undefined || (policy !== null && policyAllows(policy, key));
}
