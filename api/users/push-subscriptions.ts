import { ECDH } from 'node:crypto';
import { z } from 'zod';
import { readPushKey } from '../../db/installation.ts';
import {
  deletePushSubscription,
  listPushSubscriptions,
  type PushSubscription,
  subscribeBrowser,
} from '../../db/push-subscriptions.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { present, toFields } from '../../domain/core/record-names.ts';
import { text } from '../../domain/core/text.ts';
import { baseUrlIssue } from '../../domain/network/host-names.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery, timestamp } from '../http/fields.ts';
import { fieldIssue } from '../http/problem.ts';

const MAX_ENDPOINT_CHARACTERS = 2_000;

const newPushSubscriptionSchema = z
  .strictObject({
    endpoint: text(MAX_ENDPOINT_CHARACTERS)
      .regex(/^https:\/\/[\x21-\x7e]+$/, 'must be an https:// URL, written in ASCII')
      .meta({ format: 'uri', description: 'The `endpoint` of the `PushSubscription` of the browser' }),
    p256dh: text(87)
      .regex(/^[\w-]{87}$/, 'must be 65 bytes in base64url')
      .refine(isPoint, 'must be a point on the curve P-256, uncompressed')
      .meta({ description: 'Its key `p256dh`, in base64url' }),
    auth: text(22)
      .regex(/^[\w-]{22}$/, 'must be 16 bytes in base64url')
      .meta({ description: 'Its key `auth`, in base64url' }),
  })
  .meta({
    id: 'NewPushSubscription',
    examples: [
      {
        endpoint: 'https://push.example.com/send/a-browser',
        p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
        auth: 'BTBZMqHH6r4Tts7J_aSIgg',
      },
    ],
  });

const pushSubscriptionSchema = z
  .object({
    id: z.uuid(),
    is_current: z.boolean().meta({ description: 'Whether it belongs to the session of this request' }),
    user_agent: z.string().nullable().meta({ description: 'What the browser calls itself; null when unknown' }),
    service: z.string().meta({ description: 'The host that notifications of this browser are sent to' }),
    error: z.string().nullable().meta({ description: 'Why the last notification was not accepted; null if it was' }),
    created_at: timestamp,
  })
  .meta({ id: 'PushSubscription' });

const pushKeySchema = z
  .object({
    public_key: z.string().meta({ description: 'The `applicationServerKey` to subscribe with, in base64url' }),
  })
  .meta({ id: 'PushKey' });

function isPoint(p256dh: string): boolean {
  try {
    ECDH.convertKey(p256dh, 'prime256v1', 'base64url');
    return Buffer.from(p256dh, 'base64url')[0] === 4;
  } catch {
    return false;
  }
}

const head = { resource: 'push_subscriptions', access: 'signed_in', tag: 'Users' } as const;

/** The browsers in which the caller is notified of what waits for them. */
export const pushSubscriptionRoutes = [
  defineRoute({
    ...head,
    method: 'get',
    path: '/api/users/me/push-key',
    action: 'view_key',
    operationId: 'getPushKey',
    summary: 'Get the key that browsers subscribe to notifications with',
    response: { status: 200, schema: pushKeySchema },
    handler: async (_request, { database, box }) => {
      const { publicKey } = await readPushKey(database, box);
      return present(pushKeySchema, { publicKey });
    },
  }),
  defineRoute({
    ...head,
    method: 'get',
    path: '/api/users/me/push-subscriptions',
    operationId: 'listPushSubscriptions',
    summary: 'List the browsers that you are notified in',
    query: pageQuery,
    response: { status: 200, schema: pushSubscriptionSchema.array() },
    handler: async ({ caller: { userId, sessionId }, query, answerPage }, { database }) =>
      answerPage(await listPushSubscriptions(database, userId, query)).map((each) => presented(each, sessionId)),
  }),
  defineRoute({
    ...head,
    method: 'post',
    path: '/api/users/me/push-subscriptions',
    operationId: 'createPushSubscription',
    summary: 'Be notified in this browser of approvals and questions that wait for you, as long as you are signed in',
    description:
      'Takes what `PushManager.subscribe()` returns. A session has one subscription, which this replaces; of more than 20, the oldest ends. API keys and devices cannot subscribe.',
    body: newPushSubscriptionSchema,
    errors: [403, 409],
    response: { status: 201, schema: pushSubscriptionSchema },
    handler: async ({ caller: { userId, sessionId }, body }, { database, privateHosts }) => {
      const issue = baseUrlIssue(body.endpoint, privateHosts, ['https']);
      if (issue !== undefined) throw fieldIssue('endpoint', issue);
      if (sessionId === undefined) throw new AppError('forbidden', 'An API key has no browser: sign in');
      const address = toFields(newPushSubscriptionSchema, body);
      return presented(await subscribeBrowser(database, { userId, sessionId }, address), sessionId);
    },
  }),
  defineRoute({
    ...head,
    method: 'delete',
    path: '/api/users/me/push-subscriptions/{subscription_id}',
    operationId: 'deletePushSubscription',
    summary: 'Be notified in a browser no longer',
    response: { status: 204 },
    handler: async ({ caller: { userId }, params: { subscription_id: id } }, { database }) =>
      deletePushSubscription(database, userId, id),
  }),
];

function presented(subscription: PushSubscription, sessionId: string | undefined) {
  return present(pushSubscriptionSchema, subscription, {
    isCurrent: subscription.sessionId === sessionId,
    service: new URL(subscription.endpoint).host,
  });
}
