import { policyAllows } from '../../domain/permissions/index.ts';
import type { OrgCaller } from '../context/api-context.ts';

/** Returns whether the caller decides about records that work for the whole organization. */
export function isAdministrator({ policy }: OrgCaller): boolean {
  return policyAllows(policy, 'settings.manage');
}
