import { z } from 'zod';
import { findPublishedTask } from '../../db/a2a/tasks.ts';
import type { Database } from '../../db/core/database.ts';
import type { SecretBox } from '../../db/core/secret-box.ts';
import type { WebhookTarget } from '../../db/webhooks/next-delivery.ts';
import { signingSecrets } from '../../db/webhooks/set-webhook.ts';
import { MAX_SENT_CHARACTERS } from '../../domain/webhooks.ts';
import type { GuardedHttp } from '../core/network/guarded-http.ts';
import { postSigned, type Sent } from '../core/network/signed-post.ts';

interface SendDeps {
  readonly database: Database;
  readonly box: SecretBox;
  readonly http: GuardedHttp;
}

interface DueState {
  readonly deliveryId: string;
  readonly turnId: string;
  readonly target: WebhookTarget;
}

const headersSchema = z.record(z.string(), z.string());

/**
 * Sends a task as it is now to its client, as a push notification of the Agent2Agent protocol. Returns `undefined` when
 * its chat is deleted, or its agent is not published any more.
 */
export async function sendTaskState(
  { database, box, http }: SendDeps,
  { deliveryId, turnId, target }: DueState,
  signal: AbortSignal,
): Promise<Sent | undefined> {
  const { owner, url, protocolVersion, secrets } = target;
  const task = await findPublishedTask(database, owner.orgId, turnId);
  if (task === undefined) return undefined;
  // On first use: a worker that notifies nobody does without that part of the protocol's library.
  const { serializeTask } = await import('./serialize-task.ts');
  const { body, contentType } = serializeTask(task, protocolVersion, MAX_SENT_CHARACTERS);
  const [sealed] = secrets;
  const authentication = sealed && headersSchema.parse(JSON.parse(signingSecrets.open(box, owner, sealed)));
  const headers = { ...authentication, 'content-type': contentType };
  return postSigned(http, { deliveryId, url: url ?? '', body, secrets: [], headers }, signal);
}
