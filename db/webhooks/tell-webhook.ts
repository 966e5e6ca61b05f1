import type { DueWork } from '../../domain/core/due-work.ts';
import { NEW_ID } from '../core/sql.ts';

/** What a statement has done that an address may have to be told of, in SQL. */
interface Told {
  /** The part of the statement that has a row for it. */
  readonly source: string;
  readonly subject: 'message_id' | 'run_id';
  readonly subjectId: string;
  /** The condition on which a target `w` is told. */
  readonly condition: string;
}

/**
 * Returns parts of a statement that add a delivery where the owner has an address to be told. It commits with what it
 * tells of, so none is lost. The row of the target is locked until then: deliveries are numbered as they commit.
 */
export function tellWebhook({ source, subject, subjectId, condition }: Told): string {
  return `webhook_owners_told as (
    update webhook_targets w set version = w.version + 1,
      due_at = case when w.paused_at is null then coalesce(w.due_at, now()) end
    from ${source} where ${condition} returning w.id, w.org_id, w.due_at, ${subjectId} as subject_id
  ),
  webhooks_told as (
    insert into webhook_deliveries (id, org_id, target_id, ${subject})
    select ${NEW_ID}, org_id, id, subject_id from webhook_owners_told
  )`;
}

/**
 * The addresses that such a statement has made due, in SQL: their workflows are woken once it is stored. One that was
 * due already has a workflow, which may wait to try again.
 */
export const DUE_WEBHOOKS = '(select array_agg(id) from webhook_owners_told where due_at = now())';

/** Returns the work of addresses that are to be told something. */
export function deliveriesTo(orgId: string, targetIds: readonly string[] | null): readonly DueWork[] {
  return (targetIds ?? []).map((targetId) => ({ kind: 'webhook', orgId, targetId }));
}
