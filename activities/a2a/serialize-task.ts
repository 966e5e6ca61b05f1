import { Task } from '@a2a-js/sdk';
import { V03PushNotificationSerializer } from '@a2a-js/sdk/compat/v0_3/server';
import { type SerializedPushNotification, V1PushNotificationSerializer } from '@a2a-js/sdk/server';
import { type A2aTask, taskJson } from '../../domain/a2a-tasks.ts';

/** Serializes a task as a push notification in a version of the protocol, without its history. */
export function serializeTask(
  task: A2aTask,
  version: string | null,
  maxCharacters: number,
): SerializedPushNotification {
  const value = Task.fromJSON(taskJson(task, { historyLength: 0, maxCharacters }));
  const serializer = version === '0.3' ? new V03PushNotificationSerializer() : new V1PushNotificationSerializer();
  return serializer.serialize({ payload: { $case: 'task', value } });
}
