import type { Database } from '../core/database.ts';
import { NEW_ID } from '../core/sql.ts';
import { deliveriesTo } from './notify-webhook.ts';

/** A message about an approval: that of a member and a channel. */
export interface MessageRef {
  readonly approvalId: string;
  readonly targetId: string;
}

/** Has a message about an approval sent again with its current state, even if it was before. */
export async function updateMessage(
  { tenant, follow }: Pick<Database, 'tenant' | 'follow'>,
  orgId: string,
  { approvalId, targetId }: MessageRef,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'update-approval-message',
    text: `with due as (
        update webhook_targets w set version = w.version + 1, due_at = case when w.paused_at is null then now() end
        where w.id = $2 returning w.id, w.org_id
      )
      insert into webhook_deliveries (id, org_id, target_id, approval_id, is_update)
      select ${NEW_ID}, org_id, id, $1, true from due
      on conflict (approval_id, target_id, is_update, is_reminder) where approval_id is not null
      do update set status = 'pending', queued_at = now(), next_attempt_at = now(), tries = 0`,
    values: [approvalId, targetId],
  });
  await follow([{ dueWork: deliveriesTo(orgId, [targetId]) }]);
}
