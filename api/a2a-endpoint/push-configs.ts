import type { TaskPushNotificationConfig } from '@a2a-js/sdk';
import { RequestMalformedError, TaskNotFoundError } from '@a2a-js/sdk/errors';
import { z } from 'zod';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { deletePushConfig, listPushConfigs, type PushConfig, setPushConfig } from '../../db/webhooks/push-configs.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { text } from '../../domain/core/text.ts';
import { baseUrlIssue } from '../../domain/network/host-names.ts';
import { isHeaderName } from '../../domain/network/http-headers.ts';
import { policyAllows } from '../../domain/permissions/policy.ts';
import { auditedCaller } from '../auditing/audited-caller.ts';
import { webhookUrlField } from '../webhooks/schema.ts';
import { findTask, type TaskDeps, type TaskRef } from './find-task.ts';

const MAX_CREDENTIAL = 4_096;
const VISIBLE = /^[\u0021-\u007E](?:[\u0020-\u007E]*[\u0021-\u007E])?$/;

const credentialSchema = text(MAX_CREDENTIAL).refine(
  (value) => value === '' || VISIBLE.test(value),
  'must be visible characters of ASCII',
);
const configSchema = z.object({
  id: text(190),
  url: webhookUrlField,
  token: credentialSchema,
  authentication: z
    .object({
      scheme: text(64).refine((value) => value === '' || isHeaderName(value), 'must be a scheme of HTTP'),
      credentials: credentialSchema,
    })
    .optional(),
});

type CheckedConfig = z.output<typeof configSchema>;

/** Checks a push notification config, and that the caller may set one. */
export function checkConfig(
  { context: { privateHosts }, caller: { policy } }: TaskDeps,
  config: TaskPushNotificationConfig,
): CheckedConfig {
  if (!policyAllows(policy, 'webhooks.manage'))
    throw new AppError('forbidden', 'Push notifications need the permission webhooks.manage');
  const { data, error } = configSchema.safeParse(config);
  const [issue] = error?.issues ?? [];
  if (data === undefined)
    throw new RequestMalformedError(`pushNotificationConfig.${issue?.path.join('.')}: ${issue?.message}`);
  const wrong = baseUrlIssue(data.url, privateHosts);
  if (wrong !== undefined) throw new RequestMalformedError(`pushNotificationConfig.url: ${wrong}`);
  return data;
}

/** Stores a push notification config of a task. Without an id it has that of the task. */
export async function storeConfig(
  { context, caller, version, ip }: TaskDeps,
  { id: turnId, chatId }: TaskRef,
  { id, url, token, authentication }: CheckedConfig,
): Promise<TaskPushNotificationConfig> {
  const { database, box, audit } = context;
  const { orgId, userId } = caller;
  const headers = {
    ...(authentication !== undefined &&
      authentication.credentials !== '' && {
        authorization: `${authentication.scheme} ${authentication.credentials}`.trim(),
      }),
    ...(token !== '' && { 'x-a2a-notification-token': token }),
  };
  const config = { id: configIdOf(turnId, id), url };
  const secret = Object.keys(headers).length === 0 ? null : JSON.stringify(headers);
  await withOrgTransaction(database, orgId, async (em) =>
    setPushConfig(em, box, { orgId, turnId, ...config, protocolVersion: version, secret, userId }),
  );
  // The audit log has it as a webhook of the chat.
  await audit.changed({
    ...auditedCaller(caller),
    action: 'chats.webhook',
    recordType: 'chats',
    recordId: chatId,
    relatedIds: [turnId],
    fields: ['url'],
    outcome: 'success',
    status: 200,
    ip,
  });
  return presentConfig(turnId, config);
}

/** Returns the push notification configs of a task. */
export async function listConfigs(deps: TaskDeps, taskId: string): Promise<TaskPushNotificationConfig[]> {
  const { id: turnId } = await findTask(deps, taskId);
  const configs = await listPushConfigs(deps.context.database, { orgId: deps.caller.orgId, turnId });
  return configs.map((config) => presentConfig(turnId, config));
}

/** Returns a push notification config of a task; without an id, the one that was set without. */
export async function getConfig(deps: TaskDeps, taskId: string, id: string): Promise<TaskPushNotificationConfig> {
  const configs = await listConfigs(deps, taskId);
  const found = configs.find((config) => config.id === configIdOf(config.taskId, id));
  if (found === undefined) throw new TaskNotFoundError('Push notification config not found');
  return found;
}

/** Deletes a push notification config of a task, if there is one; without an id, the one that was set without. */
export async function removeConfig(deps: TaskDeps, taskId: string, id: string | undefined): Promise<void> {
  const { id: turnId } = await findTask(deps, taskId);
  await deletePushConfig(deps.context.database, { orgId: deps.caller.orgId, turnId }, configIdOf(turnId, id));
}

// A config without an id has that of its task. Version 0.3 of the protocol leaves an id out where 1.0 has an empty one,
// and its requests are not checked by the protocol's library.
function configIdOf(turnId: string, id: string | undefined): string {
  const { data } = configSchema.shape.id.safeParse(id ?? '');
  if (data === undefined) throw new RequestMalformedError('The id of a push notification config must be a short text');
  return data === '' ? turnId : data;
}

// Tokens and credentials are never shown.
function presentConfig(taskId: string, { id, url }: PushConfig): TaskPushNotificationConfig {
  return { tenant: '', id, taskId, url, token: '', authentication: undefined };
}
