import { AppError } from '../../domain/core/app-error.ts';
import { allowedIds, policyAllows } from '../../domain/permissions/index.ts';
import type { OrgCaller } from '../context/api-context.ts';

const WEBHOOK_FIELDS = {
  webhookSecret: 'webhook_secret',
  notifyUrl: 'notify_url',
  notifySecret: 'notify_secret',
} as const;

/** Rejects callers who may not change the webhook of a workflow, or what it tells others, if that is what they do. */
export function checkMaySetWebhooks(
  { policy }: Pick<OrgCaller, 'policy'>,
  changes: { readonly [key in keyof typeof WEBHOOK_FIELDS]?: unknown },
): void {
  const [field] = Object.entries(WEBHOOK_FIELDS).filter(([key]) => Reflect.get(changes, key) !== undefined);
  if (field === undefined || policyAllows(policy, 'webhooks.manage')) return;
  throw new AppError('forbidden', `Setting ${field[1]} needs the permission webhooks.manage`);
}

/** Returns the agents that a caller may use: workflows and runs with others are not there for them. */
export function agentBoundOf({ policy }: Pick<OrgCaller, 'policy'>): {
  readonly allowedAgentIds: readonly string[] | undefined;
} {
  return { allowedAgentIds: allowedIds(policy, 'agentIds') };
}
