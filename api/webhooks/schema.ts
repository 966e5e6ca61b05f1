import { z } from 'zod';
import { baseUrlIssue } from '../../domain/network/host-names.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { fieldIssue } from '../http/problem.ts';
import type { ShownWebhook } from '../../db/webhooks/set-webhook.ts';
import { keptVerbatim } from '../../domain/core/record-names.ts';
import { text } from '../../domain/core/text.ts';
import { policyAllows } from '../../domain/permissions/policy.ts';
import { DELIVERY_EVENTS, DELIVERY_STATUSES } from '../../domain/webhooks.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, pageParams, timestamp } from '../http/fields.ts';
import { idOf } from '../resources/id-fields.ts';

const MAX_URL_CHARACTERS = 2_048;
const MIN_SECRET_CHARACTERS = 8;
const MAX_SECRET_CHARACTERS = 500;

/** The URL to notify; `checkWebhookUrl` checks whether it is allowed. */
export const webhookUrlField = text(MAX_URL_CHARACTERS).min(1).meta({ format: 'uri' });

/** The secret that signs deliveries. */
export const signingSecretField = text(MAX_SECRET_CHARACTERS).min(MIN_SECRET_CHARACTERS).nullable().meta({
  description:
    'Signs deliveries; stored encrypted and never shown. After a change, both the old and the new secret sign for 24 hours. Null removes it, and deliveries are no longer signed',
});

export const chatWebhookSchema = z
  .strictObject({
    url: webhookUrlField
      .nullable()
      .meta({ description: 'Receives a POST for each message of the agent; null removes it' }),
    secret: signingSecretField.optional(),
  })
  .meta({
    id: 'ChatWebhookUpdate',
    examples: [{ url: 'https://hooks.example.com/everturn', secret: 'a-long-random-text' }, { url: null }],
  });

export const deliveriesQuery = z.strictObject({
  before: idOf('webhook_deliveries').optional().meta({ description: 'Only the deliveries before this one' }),
  ...pageParams,
});

/** The field of a delivery with the result of each attempt. */
export const attemptLogField = keptVerbatim(
  z
    .array(
      z
        .object({
          at: timestamp.meta({ description: 'When it ended' }),
          status: z.int().nullable().meta({
            description: 'The HTTP status of the response; null when there was none, or the service has no such status',
          }),
          error: z.string().nullable().meta({ description: 'What went wrong; null when it was accepted completely' }),
        })
        .meta({ id: 'DeliveryAttempt' }),
    )
    .meta({ description: 'The newest 20 attempts, oldest first' }),
);

export const deliverySchema = z
  .object({
    id: z.uuid().meta({ description: 'Sent as `X-Everturn-Delivery` with each attempt' }),
    event: z.enum(DELIVERY_EVENTS).meta({ id: 'DeliveryEvent' }),
    message_id: z.uuid().nullable(),
    run_id: z.uuid().nullable(),
    schedule_id: z
      .uuid()
      .nullable()
      .meta({ description: "The schedule, or the workflow's schedule, that did not run" }),
    status: z.enum(DELIVERY_STATUSES).meta({ id: 'DeliveryStatus' }),
    attempts: z.int(),
    last_status: z
      .int()
      .nullable()
      .meta({ description: 'The HTTP status of the last response; null when there was none' }),
    error: z.string().nullable().meta({ description: 'Why the last attempt failed' }),
    last_attempt_at: timestamp.nullable(),
    next_attempt_at: timestamp
      .nullable()
      .meta({ description: 'Null unless an attempt is due; also null while paused' }),
    delivered_at: timestamp.nullable(),
    created_at: timestamp,
    attempt_log: attemptLogField,
  })
  .meta({
    id: 'WebhookDelivery',
    examples: [
      {
        id: EXAMPLE_ID,
        event: 'message.created',
        message_id: EXAMPLE_ID,
        run_id: null,
        schedule_id: null,
        status: 'pending',
        attempts: 2,
        last_status: 503,
        error: 'The receiver answered with status 503',
        last_attempt_at: EXAMPLE_TIME,
        next_attempt_at: EXAMPLE_TIME,
        delivered_at: null,
        created_at: EXAMPLE_TIME,
        attempt_log: [{ at: EXAMPLE_TIME, status: 503, error: 'The receiver answered with status 503' }],
      },
    ],
  });

/** The fields of a workflow or a schedule that say who is notified of its runs. */
export const notifyFields = {
  notify_url: webhookUrlField.nullable().meta({
    description:
      'Receives a signed POST for each run that ends. Setting it requires `webhooks.manage`; null removes it',
  }),
  notify_secret: signingSecretField,
};

/** The same, as they are shown. */
export const shownNotifyFields = {
  notify_url: z.string().nullable().meta({
    description: 'The URL notified of each run that ends; null if there is none, or if you lack `webhooks.manage`',
  }),
  has_notify_secret: z.boolean(),
  notify_status: z.enum(['active', 'paused']).nullable().meta({ description: 'Null without a `notify_url`' }),
  notify_pause_reason: z.string().nullable().meta({ description: 'Why notifications to `notify_url` are paused' }),
};

/** The values in the examples. */
export const NO_NOTIFY = { notify_url: null, has_notify_secret: false, notify_status: null, notify_pause_reason: null };

/** Returns what a caller may see of the address that is notified. */
export function shownNotify({ policy }: Pick<OrgCaller, 'policy'>, webhook: ShownWebhook | undefined) {
  return {
    notifyUrl: webhook !== undefined && policyAllows(policy, 'webhooks.manage') ? webhook.url : null,
    hasNotifySecret: webhook?.hasSecret ?? false,
    notifyStatus: webhook?.status ?? null,
    notifyPauseReason: webhook?.pauseReason ?? null,
  };
}

/** Rejects a forbidden address to notify. Only its text is checked here; where it leads is checked on connecting. */
export function checkWebhookUrl(
  { privateHosts }: Pick<ApiContext, 'privateHosts'>,
  url: string | null | undefined,
  field: 'url' | 'notify_url',
): void {
  if (url == null) return;
  const issue = baseUrlIssue(url, privateHosts);
  if (issue !== undefined) throw fieldIssue(field, issue);
}
