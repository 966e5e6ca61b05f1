import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { payloadOf } from '../../../domain/webhooks.ts';
import { WebhookVerificationError } from './errors.ts';
import { verifyWebhook } from './verify-webhook.ts';

const SECRET = 'a secret';
const body = payloadOf('delivery', {
  kind: 'run',
  id: 'run',
  workflowId: 'workflow',
  workflowName: 'Report',
  scheduleId: null,
  scheduleName: null,
  chatId: null,
  status: 'completed',
  triggeredBy: 'manual',
  output: 'Übersicht',
  error: null,
  usage: null,
  startedAt: null,
  completedAt: null,
  createdAt: new Date(0),
});

/** Signs the body as a delivery is signed (docs/webhooks.md). */
function sign(secrets: readonly string[], { ageSeconds = 0 } = {}): string {
  const time = Math.floor(Date.now() / 1_000) - ageSeconds;
  const digestOf = (secret: string) => createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
  return [`t=${time}`, ...secrets.map((secret) => `v1=${digestOf(secret)}`)].join(',');
}

describe('a webhook delivery', () => {
  test('is returned, when it was signed with the secret', async () => {
    const event = await verifyWebhook({ body, signature: sign([SECRET]), secret: SECRET });
    expect(event).toEqual(JSON.parse(body));
    expect(event.type === 'run.ended' && event.run.output).toBe('Übersicht');
  });

  test('is returned for either secret, while one is replaced, and from bytes', async () => {
    const signature = sign(['a former secret', SECRET]);
    const bytes: Uint8Array = Buffer.from(body);
    await expect(verifyWebhook({ body: bytes, signature, secret: SECRET })).resolves.toMatchObject({ id: 'delivery' });
  });

  test.each<[string, string | null, string]>([
    ['has no signature', null, 'The delivery has no signature'],
    ['has a signature without a time', 'v1=00', 'The delivery has no signature'],
    ['was signed with another secret', sign(['another']), 'The delivery was not signed with this secret'],
    ['has a digest that is none', `${sign([])},v1=zz`, 'The delivery was not signed with this secret'],
    ['was signed too long ago', sign([SECRET], { ageSeconds: 301 }), 'The delivery was signed too long ago'],
    ['was signed in the future', sign([SECRET], { ageSeconds: -400 }), 'The delivery was signed too long ago'],
  ])('is refused, when it %s', async (_, signature, message) => {
    const refused = expect(verifyWebhook({ body, signature, secret: SECRET })).rejects;
    await refused.toThrow(new WebhookVerificationError(message));
  });

  test('is refused, when its body was changed', async () => {
    const changed = { body: body.replace('Report', 'Import'), signature: sign([SECRET]), secret: SECRET };
    await expect(verifyWebhook(changed)).rejects.toThrow(WebhookVerificationError);
  });
});
