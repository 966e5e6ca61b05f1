import type { Membership } from '../../domain/orgs.ts';
import { dueRuns } from '../../domain/core/due-work.ts';
import { notFound } from '../../domain/core/app-error.ts';
import { endRun } from '../agent-workflows/runs/end-run.ts';
import type { RunQueue } from '../agent-workflows/runs/run-queue.ts';
import { stepNewsOf } from '../agent-workflows/runs/step-approvals.ts';
import { afterCommit } from '../core/after-commit.ts';
import type { Database } from '../core/database.ts';
import type { Transaction } from '../core/transactions.ts';
import { announceSteps } from '../stream/announce-step.ts';

/** The channel on which workers learn at once which turn is to stop; the row decides. */
export const CONTROL_CHANNEL = 'turn_control';

/** When a turn that waits is due, if the wake of the request is lost. */
const SOON = `least(next_wake_at, now() + interval '1 second')`;

/** The turns that were asked to stop. */
interface Interrupted {
  readonly turn: { readonly turnId: string; readonly isSubAgent: boolean } | null;
  readonly run: (RunQueue & { readonly id: string; readonly version: number }) | null;
}

/**
 * Asks the chat's running turn to stop, or the next one when none runs yet, and with it all sub-agents below. A run of
 * a workflow that waits for a decision before its next step ends, too. With `turnId` only that turn is asked. Returns
 * the id of the turn, `undefined` when the chat has no such open turn: interrupting twice, or after the end, changes
 * nothing.
 */
export async function requestInterrupt(
  database: Database,
  owner: Membership,
  chatId: string,
  turnId?: string,
): Promise<string | undefined> {
  const [row] = await database.tenant.query<Interrupted>(owner.orgId, {
    name: 'request-interrupt',
    text: `with chat as (select id from chats where id = $1 and user_id = $2 and deleted_at is null),
      open as (
        select t.id, t.parent_turn_id, t.interrupt_requested_at from turns t join chat on chat.id = t.chat_id
        where t.status in ('queued', 'running') and ($3::uuid is null or t.id = $3) order by t.seq limit 1
      ),
      asked as (
        update turns set interrupt_requested_at = coalesce(interrupt_requested_at, now()), next_wake_at = ${SOON}
        where id = (select id from open where interrupt_requested_at is null) and status in ('queued', 'running')
        returning id, ancestor_ids
      ),
      root as (
        update turns set next_wake_at = ${SOON} where id = (select ancestor_ids[1] from asked)
      ),
      run as (
        update workflow_runs r set interrupt_requested_at = now(), version = r.version + 1, updated_at = now()
        from approvals p join chat on chat.id = p.chat_id
        where r.id = p.run_id and p.status = 'pending' and r.completed_at is null and r.interrupt_requested_at is null
          and $3::uuid is null returning r.*
      )
      select (
        select json_build_object('turnId', id, 'isSubAgent', parent_turn_id is not null) from open
        where interrupt_requested_at is not null or id = (select id from asked)
      ) as turn, (
        select json_build_object('id', id, 'version', version, 'workflowId', workflow_id, 'scheduleId', schedule_id) from run
      ) as run from chat`,
    values: [chatId, owner.userId, turnId ?? null],
  });
  if (row === undefined) throw notFound('Chat');
  const { turn, run } = row;
  const { orgId } = owner;
  const dueWork = dueRuns(run === null ? [] : [{ orgId, runId: run.id }]);
  // A turn that no worker runs, or that waits, ends once its workflow, or the recovery, asks for it again.
  const stopped = turn && {
    stoppedTurns: [turn.turnId],
    dueWork: [...dueWork, { kind: 'chat', orgId, chatId, isSubAgent: turn.isSubAgent } as const],
  };
  await database.follow([stopped ?? { dueWork }]);
  // Last, as its workflow ends it where this fails.
  if (run !== null) await endWaitingRun(database, { ...run, orgId });
  return turn?.turnId;
}

// Its row is enough, and whoever stops it does not wait until Temporal is back.
async function endWaitingRun(database: Database, run: Parameters<typeof endRun>[1]): Promise<void> {
  await endRun(database, run, { status: 'interrupted', error: null });
  await announceSteps(database, await stepNewsOf(database, { orgId: run.orgId, runId: run.id }));
}

/** A turn that is asked to stop because its user leaves or its organization is deleted. */
export interface StoppedTurn {
  readonly id: string;
  readonly chatId: string;
  readonly isSubAgent: boolean;
}

/**
 * Asks the open turns of an organization, or of one of its users, to stop. Workers are notified once the transaction
 * has committed.
 */
export async function stopTurns(
  transaction: Transaction,
  { orgId, userId }: { readonly orgId: string; readonly userId?: string },
): Promise<StoppedTurn[]> {
  const { rows } = await transaction.query<StoppedTurn>(
    `update turns set interrupt_requested_at = coalesce(interrupt_requested_at, now()), next_wake_at = now()
      where org_id = $1 and ($2::uuid is null or user_id = $2) and status in ('queued', 'running')
      returning id, chat_id as "chatId", parent_turn_id is not null as "isSubAgent"`,
    [orgId, userId ?? null],
  );
  afterCommit(transaction, { stoppedTurns: rows.map(({ id }) => id) });
  return rows;
}

/** Returns those of the turns that were asked to stop, or have ended. */
export async function findInterrupted({ system }: Database, turnIds: readonly string[]): Promise<string[]> {
  const { rows } = await system.query<{ id: string }>({
    name: 'find-interrupted',
    text: 'select id from turns where id = any($1::uuid[]) and (interrupt_requested_at is not null or ended_at is not null)',
    values: [turnIds],
  });
  return rows.map(({ id }) => id);
}
