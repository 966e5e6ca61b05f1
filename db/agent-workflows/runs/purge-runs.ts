import { AppError } from '../../../domain/core/app-error.ts';
import { settleAll } from '../../../domain/core/promises.ts';
import { deleteChat } from '../../chats/delete-chat.ts';
import type { Database } from '../../core/database.ts';

/** How many workflows or schedules one call checks. */
const KEEPERS = 10;
/** Runs of one of them that one call removes. */
const BATCH = 50;

interface OldRun {
  readonly id: string;
  /** The workflow, or the schedule. */
  readonly keeperId: string;
  readonly orgId: string;
  readonly userId: string;
  /** Its conversation; null when that is gone, or when somebody continued it. */
  readonly chatId: string | null;
}

/** A workflow or schedule that was checked and has no old runs. */
type NoRun = { readonly [key in keyof OldRun]: key extends 'keeperId' ? string : null };

/** The kind of record that decides how long runs are kept, as parts of SQL. */
interface Keeper {
  readonly name: string;
  /** The column of runs that names it. */
  readonly column: string;
  readonly due: string;
  readonly plan: string;
}

// The runs of a workflow that its schedule has started are kept as the workflow says.
const KEPT_BY: readonly Keeper[] = [
  {
    name: 'workflow',
    column: 'workflow_id',
    due: 'from agent_workflows where purge_at <= now()',
    plan: 'update agent_workflows k set purge_at =',
  },
  {
    name: 'schedule',
    column: 'schedule_id',
    due: 'from schedules where workflow_id is null and purge_at <= now()',
    plan: 'update schedules k set purge_at =',
  },
];

/**
 * Purges ended runs that were kept as long as their workflow or schedule says, with their conversations, which can be
 * restored like other chats. Keeps conversations that somebody continued, and runs that an address is still to be
 * notified of. Purges a bounded number of them, and returns whether more may be waiting.
 */
export async function purgeOldRuns(database: Database): Promise<boolean> {
  let hasMore = false;
  for (const keeper of KEPT_BY) if (await purgeRunsOf(database, keeper)) hasMore = true;
  return hasMore;
}

async function purgeRunsOf(database: Database, keeper: Keeper): Promise<boolean> {
  const { rows } = await database.system.query<OldRun | NoRun>({
    name: `take-old-runs-of-${keeper.name}`,
    text: take(keeper),
    values: [KEEPERS],
  });
  const runs = rows.filter((row) => row.id !== null);
  await settleAll(runs.map(async (run) => deleteConversation(database, run)));
  const unfinished = keepersWithMore(runs);
  if (runs.length > 0) await database.system.query(REMOVE, [runs.map(({ id }) => id)]);
  if (unfinished.length > 0)
    await database.system.query(`${keeper.plan} now() where id = any($1::uuid[])`, [unfinished]);
  return unfinished.length > 0 || new Set(rows.map(({ keeperId }) => keeperId)).size === KEEPERS;
}

function keepersWithMore(runs: readonly OldRun[]): string[] {
  const removed = Map.groupBy(runs, ({ keeperId }) => keeperId);
  return [...removed].filter(([, of]) => of.length === BATCH).map(([keeperId]) => keeperId);
}

// A workflow is reserved while its runs are being removed. If this process dies, another continues in a minute.
function take({ column, due, plan }: Keeper): string {
  return `with due as (
      select id, keep_runs_days ${due} order by purge_at limit $1 for update skip locked
    ),
    old as (
      select r.*, due.id as keeper_id from due cross join lateral (
        select r.id, r.org_id, r.user_id, r.chat_id from workflow_runs r
        where r.${column} = due.id and r.completed_at < now() - due.keep_runs_days * interval '1 day'
          and not exists (select from webhook_deliveries d where d.run_id = r.id and d.status = 'pending')
        order by r.completed_at limit ${BATCH}
      ) r
    ),
    seen as (
      ${plan} case
          when (select count(*) from old where old.keeper_id = k.id) < ${BATCH} then now() + interval '1 hour'
          else now() + interval '1 minute' end
      from due where k.id = due.id
    )
    select old.id, due.id as "keeperId", old.org_id as "orgId", old.user_id as "userId", (
        select c.id from chats c where c.id = old.chat_id and c.deleted_at is null
          and not exists (select from turns t where t.chat_id = c.id and t.run_id is null)
      ) as "chatId"
    from due left join old on old.keeper_id = due.id`;
}

const REMOVE = 'delete from workflow_runs where id = any($1::uuid[]) and completed_at is not null';

async function deleteConversation(database: Database, { orgId, userId, chatId }: OldRun): Promise<void> {
  if (chatId === null) return;
  try {
    await deleteChat(database, { orgId, userId }, chatId);
  } catch (error) {
    // Its user has deleted it at this instant.
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
  }
}
