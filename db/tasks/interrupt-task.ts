import { AppError, notFound } from '../../domain/core/app-error.ts';
import type { Membership } from '../../domain/orgs.ts';
import type { Database } from '../core/index.ts';
import { requestInterrupt } from '../turns/index.ts';
import { isOfChat, ofUser, readOwnTasks, type Task, type TaskRef } from './tasks.ts';

/** Asks the agent that works on a task of the user to stop; `conflict` when none does. */
export async function interruptTask(database: Database, owner: Membership, { id, chatId }: TaskRef): Promise<Task> {
  const { orgId, userId } = owner;
  const [found] = await database.tenant.query<{ workId: string | null }>(orgId, {
    name: 'work-on-task',
    text: `select (
          select t.chat_id from turns t where t.chat_id = k.sub_chat_id and t.status in ('queued', 'running') limit 1
        ) as "workId"
      from tasks k where k.id = $1 and ${ofUser('$2')} and ${isOfChat('$3')}`,
    values: [id, userId, chatId ?? null],
  });
  if (found === undefined) throw notFound('Task');
  if (found.workId === null) throw new AppError('conflict', 'No agent is working on the task');
  await requestInterrupt(database, owner, found.workId);
  const [task] = await database.tenant.query(orgId, readOwnTasks(owner, [id]));
  if (task === undefined) throw notFound('Task');
  return task;
}
