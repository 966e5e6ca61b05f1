import { policyAllows } from '../../domain/permissions/index.ts';
import type { OrgCaller } from '../context/api-context.ts';

/** Whether the caller decides about what works for the whole organization. */
export function isAdministrator({ policy }: OrgCaller): boolean {
  return policyAllows(policy, 'settings.manage');
}
