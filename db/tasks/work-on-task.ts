import { notFound } from '../../domain/core/app-error.ts';
import type { Membership } from '../../domain/orgs/index.ts';
import type { Database } from '../core/index.ts';
import { ofUser } from './tasks.ts';

/**
 * The chat in which an agent works on a task of the user; undefined when none does. `not_found` for an unknown task.
 */
export async function findWorkOn({ tenant }: Database, owner: Membership, id: string): Promise<string | undefined> {
  const [task] = await tenant.query<{ subChatId: string | null; isAtWork: boolean }>(owner.orgId, {
    name: 'work-on-task',
    text: `select k.sub_chat_id as "subChatId", exists (
          select from turns t where t.chat_id = k.sub_chat_id and t.status in ('queued', 'running')
        ) as "isAtWork"
      from tasks k where k.id = $1 and ${ofUser('$2')}`,
    values: [id, owner.userId],
  });
  if (task === undefined) throw notFound('Task');
  return task.isAtWork ? (task.subChatId ?? undefined) : undefined;
}
