import { AppError } from '../../domain/core/app-error.ts';
import { allowedIds, policyAllows } from '../../domain/permissions/index.ts';
import type { OrgCaller } from '../context/api-context.ts';

/** Rejects callers who may not change the secret of a webhook. */
export function checkMaySetSecret({ policy }: Pick<OrgCaller, 'policy'>): void {
  if (policyAllows(policy, 'webhooks.manage')) return;
  throw new AppError('forbidden', 'Setting webhook_secret needs the permission webhooks.manage');
}

/** Returns the agents that a caller may use: workflows and runs with others are not there for them. */
export function agentBoundOf({ policy }: Pick<OrgCaller, 'policy'>): {
  readonly allowedAgentIds: readonly string[] | undefined;
} {
  return { allowedAgentIds: allowedIds(policy, 'agentIds') };
}
