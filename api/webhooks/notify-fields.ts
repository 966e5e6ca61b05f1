import { z } from 'zod';
import type { ShownWebhook } from '../../db/webhooks/index.ts';
import { policyAllows } from '../../domain/permissions/index.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { signingSecretField, webhookUrlField } from './schema.ts';

/** The fields of a workflow or a schedule that say who is told of its runs. */
export const notifyFields = {
  notify_url: webhookUrlField.nullable().meta({
    description: 'Gets a signed POST for each run that ends. Setting it needs `webhooks.manage`; null removes it',
  }),
  notify_secret: signingSecretField,
};

/** The same, as they are shown. */
export const shownNotifyFields = {
  notify_url: z.string().nullable().meta({
    description: 'Is told of each run that ends; null for those who lack `webhooks.manage`, and without one',
  }),
  has_notify_secret: z.boolean(),
  notify_status: z.enum(['active', 'paused']).nullable().meta({ description: 'Null without a `notify_url`' }),
  notify_pause_reason: z.string().nullable().meta({ description: 'Why `notify_url` is told nothing more' }),
};

/** What the examples show of them. */
export const NO_NOTIFY = { notify_url: null, has_notify_secret: false, notify_status: null, notify_pause_reason: null };

/** Returns what somebody is shown of the address that is told. */
export function shownNotify({ policy }: Pick<OrgCaller, 'policy'>, told: ShownWebhook | undefined) {
  return {
    notifyUrl: told !== undefined && policyAllows(policy, 'webhooks.manage') ? told.url : null,
    hasNotifySecret: told?.hasSecret ?? false,
    notifyStatus: told?.status ?? null,
    notifyPauseReason: told?.pauseReason ?? null,
  };
}
