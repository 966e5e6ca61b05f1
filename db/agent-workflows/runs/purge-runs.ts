import { AppError } from '../../../domain/core/app-error.ts';
import { settleAll } from '../../../domain/core/settle-all.ts';
import { deleteChat } from '../../chats/index.ts';
import type { Database } from '../../core/index.ts';

/** Workflows that one call looks at. */
const WORKFLOWS = 10;
/** Runs of one workflow that one call removes. */
const BATCH = 50;

interface OldRun {
  readonly id: string;
  readonly workflowId: string;
  readonly orgId: string;
  readonly userId: string;
  /** Its conversation; null when that is gone, or when somebody went on in it. */
  readonly chatId: string | null;
}

/** A workflow that was looked at and has no old runs. */
type NoRun = { readonly [key in keyof OldRun]: key extends 'workflowId' ? string : null };

/**
 * Removes ended runs that were kept as long as their workflow says, with their conversations, which can be restored
 * like other chats. A conversation in which somebody went on stays. Takes a bounded number of them, and returns whether
 * more may be waiting.
 */
export async function purgeOldRuns(database: Database): Promise<boolean> {
  const { rows } = await database.system.query<OldRun | NoRun>({
    name: 'take-old-runs',
    text: TAKE,
    values: [WORKFLOWS],
  });
  const runs = rows.filter((row) => row.id !== null);
  await settleAll(runs.map(async (run) => deleteConversation(database, run)));
  const unfinished = workflowsWithMore(runs);
  if (runs.length > 0) await database.system.query(REMOVE, [runs.map(({ id }) => id)]);
  if (unfinished.length > 0) await database.system.query(LOOK_AGAIN, [unfinished]);
  return unfinished.length > 0 || new Set(rows.map(({ workflowId }) => workflowId)).size === WORKFLOWS;
}

function workflowsWithMore(runs: readonly OldRun[]): string[] {
  const removed = Map.groupBy(runs, ({ workflowId }) => workflowId);
  return [...removed].filter(([, of]) => of.length === BATCH).map(([workflowId]) => workflowId);
}

// A workflow is nobody else's while its runs are being removed. If this process dies, another goes on in a minute.
const TAKE = `with due as (
    select id, keep_runs_days from agent_workflows where purge_at <= now() order by purge_at limit $1
    for update skip locked
  ),
  old as (
    select r.* from due cross join lateral (
      select r.id, r.org_id, r.workflow_id, r.user_id, r.chat_id from workflow_runs r
      where r.workflow_id = due.id and r.completed_at < now() - due.keep_runs_days * interval '1 day'
      order by r.completed_at limit ${BATCH}
    ) r
  ),
  seen as (
    update agent_workflows w set purge_at = now() + case
        when (select count(*) from old where old.workflow_id = w.id) < ${BATCH} then interval '1 hour' else interval '1 minute' end
    from due where w.id = due.id
  )
  select old.id, due.id as "workflowId", old.org_id as "orgId", old.user_id as "userId", (
      select c.id from chats c where c.id = old.chat_id and c.deleted_at is null
        and not exists (select from turns t where t.chat_id = c.id and t.run_id is null)
    ) as "chatId"
  from due left join old on old.workflow_id = due.id`;

const REMOVE = 'delete from workflow_runs where id = any($1::uuid[]) and completed_at is not null';

const LOOK_AGAIN = 'update agent_workflows set purge_at = now() where id = any($1::uuid[])';

async function deleteConversation(database: Database, { orgId, userId, chatId }: OldRun): Promise<void> {
  if (chatId === null) return;
  try {
    await deleteChat(database, { orgId, userId }, chatId);
  } catch (error) {
    // Its user has deleted it at this instant.
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
  }
}
