import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { afterCommit } from '../core/after-commit.ts';
import { RESUME_DELIVERIES, RESUMED } from './deliveries.ts';
import { deliveriesTo } from './notify-webhook.ts';

interface ThreadOwner {
  readonly orgId: string;
  readonly chatId: string;
  readonly userId: string;
}

/**
 * Posts the answers of a chat to its thread, also when failures have paused that: a new message in it shows that it
 * works.
 */
export async function openThreadTarget(em: EntityManager, { orgId, chatId, userId }: ThreadOwner): Promise<void> {
  const [resumed] = await em.execute<{ id: string }[]>(
    `update webhook_targets set ${RESUMED} where thread_chat_id = ? and paused_at is not null returning id`,
    [chatId],
  );
  if (resumed !== undefined) {
    await em.execute(RESUME_DELIVERIES, [resumed.id]);
    afterCommit(em, { dueWork: deliveriesTo(orgId, [resumed.id]) });
    return;
  }
  await em.execute(
    `insert into webhook_targets (id, org_id, thread_chat_id, user_id) values (?, ?, ?, ?)
      on conflict (thread_chat_id) where thread_chat_id is not null do nothing`,
    [uuidv7(), orgId, chatId, userId],
  );
}
