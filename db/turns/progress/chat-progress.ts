import type { ApprovalStatus } from '../../../domain/approvals.ts';
import type { ApprovalEvent } from '../../../domain/events.ts';
import type { FinalTurnStatus } from '../../../domain/turns.ts';
import { type Message, MESSAGE_COLUMNS, MESSAGE_JOINS } from '../../chats/messages.ts';
import type { Database } from '../../core/database.ts';

/** A turn that has ended, with its assistant message. */
export interface EndedTurn {
  readonly id: string;
  readonly seq: number;
  readonly chatId: string;
  readonly status: FinalTurnStatus;
  readonly answer: Message;
}

const STATE = `t.id, t.seq, t.chat_id as "chatId", t.status`;

/** The progress of a chat. */
interface ChatPosition {
  /** The `seq` of its last ended turn, 0 when there is none. */
  readonly endedSeq: number;
  /** The oldest one. */
  readonly openTurn: { readonly id: string; readonly seq: number } | null;
  /** The last wait before a step of its run, also when it is over. */
  readonly stepWait: StepWait | null;
}

/** Returns the progress of a chat. */
export async function chatPosition(
  { tenant }: Database,
  { orgId, chatId }: { orgId: string; chatId: string },
): Promise<ChatPosition> {
  const [row] = await tenant.query<ChatPosition>(orgId, {
    name: 'chat-position',
    text: `with open as (
        select id, seq from turns where chat_id = $1 and status in ('queued', 'running') order by seq limit 1
      )
      select coalesce((select max(seq) from turns where chat_id = $1
          and seq < coalesce((select seq from open), 9223372036854775807)), 0) as "endedSeq",
        (select json_build_object('id', id, 'seq', seq) from open) as "openTurn",
        ${lastStepWait('p.chat_id = $1')} as "stepWait"`,
    values: [chatId],
  });
  return row ?? { endedSeq: 0, openTurn: null, stepWait: null };
}

/** A query for the turns of a chat after the turn at `afterSeq`. */
interface ProgressQuery {
  readonly chatId: string;
  readonly afterSeq: number;
}

/** The limits of one look-up of ended turns: their number, and the bytes of answers after which it ends. */
const MAX_ENDED_TURNS = 500;
const MAX_ENDED_BYTES = 4 * 1024 ** 2;

/**
 * Returns for each chat the turns after the given position that have ended before any open one, in order; one statement
 * for all. When they are too many, or their answers too large, `isWhole` is false, and the next call returns more.
 */
export async function endedTurnsAfter(
  { system }: Database,
  queries: readonly ProgressQuery[],
): Promise<{ turns: EndedTurn[]; isWhole: boolean }> {
  const { rows } = await system.query<EndedTurn & { bytesRead: number }>({
    name: 'ended-turns-after',
    // A subquery for each chat, not a join: a cached plan could not know how few the chats are, and would scan all
    // turns.
    text: `with ended as (
        select t.*
        from unnest($1::uuid[], $2::bigint[]) as asked (chat_id, after_seq)
        cross join lateral (
          select t.id, t.seq, t.chat_id, t.status, message.bytes
          from turns t join lateral (
            select octet_length(content) + octet_length(metadata::text) as bytes
            from messages where turn_id = t.id and role = 'assistant' limit 1
          ) message on true
          where t.chat_id = asked.chat_id and t.seq > asked.after_seq and t.ended_at is not null and t.seq < coalesce((
            select min(open.seq) from turns open where open.chat_id = asked.chat_id and open.status in ('queued', 'running')
          ), 9223372036854775807)
          order by t.seq limit ${MAX_ENDED_TURNS}
        ) t
        order by t.chat_id, t.seq limit ${MAX_ENDED_TURNS}
      ),
      sized as (
        select *, sum(bytes) over (order by chat_id, seq rows unbounded preceding) as bytes_read from ended
      )
      select ${STATE}, message.answer, t.bytes_read as "bytesRead"
      from sized t join lateral (
        select to_jsonb(answer) as answer from (
          select ${MESSAGE_COLUMNS} from messages m ${MESSAGE_JOINS} where m.turn_id = t.id and m.role = 'assistant' limit 1
        ) answer
      ) message on true
      where t.bytes_read - t.bytes < ${MAX_ENDED_BYTES}
      order by t.chat_id, t.seq`,
    values: [queries.map(({ chatId }) => chatId), queries.map(({ afterSeq }) => afterSeq)],
  });
  const turns = rows.map(({ bytesRead: _bytesRead, ...row }) => ({ ...row, answer: reviveDates(row.answer) }));
  return { turns, isWhole: rows.length < MAX_ENDED_TURNS && (rows.at(-1)?.bytesRead ?? 0) < MAX_ENDED_BYTES };
}

/** Returns the turn of the organization if it has ended; `undefined` while it is open, and when there is none. */
export async function findEndedTurn(
  { tenant }: Database,
  orgId: string,
  turnId: string,
): Promise<EndedTurn | undefined> {
  const [row] = await tenant.query<EndedTurn>(orgId, {
    name: 'find-ended-turn',
    text: `select ${STATE}, message.answer
      from turns t
      join lateral (
        select to_jsonb(answer) as answer from (
          select ${MESSAGE_COLUMNS} from messages m ${MESSAGE_JOINS} where m.turn_id = t.id and m.role = 'assistant' limit 1
        ) answer
      ) message on true
      where t.id = $1 and t.ended_at is not null`,
    values: [turnId],
  });
  return row && { ...row, answer: reviveDates(row.answer) };
}

// In JSON, the timestamps of a nested row are text.
function reviveDates(message: Message): Message {
  return { ...message, createdAt: new Date(message.createdAt), updatedAt: new Date(message.updatedAt) };
}

/** The wait for a decision before a step of a run. It belongs to a chat, and to no turn of it. */
export interface StepWait {
  readonly id: string;
  readonly runId: string;
  readonly chatId: string;
  readonly agentName: string;
  /** The name of the step. */
  readonly step: string;
  /** Names the step and its workflow, for a person. */
  readonly label: string;
  readonly status: ApprovalStatus;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** How the step of `approvals p` and `workflow_runs r` is called where calls have the key of their tool. */
export const STEP_NAME = "r.steps -> p.run_step ->> 'name'";

/** The label of that step for people. */
export const STEP_LABEL = `format('Step "%s" of "%s"', ${STEP_NAME}, (select w.name from agent_workflows w where w.id = r.workflow_id))`;

/** Returns a subquery for the last wait before a step that meets a condition on `approvals p`, as JSON. */
export const lastStepWait = (condition: string) => `(
    select json_build_object('id', p.id, 'runId', p.run_id, 'chatId', p.chat_id, 'agentName', a.name, 'step', ${STEP_NAME}, 'label', ${STEP_LABEL},
      'status', p.status, 'expiresAt', (extract(epoch from p.expires_at) * 1000)::bigint)
    from approvals p join agents a on a.id = p.agent_id join workflow_runs r on r.id = p.run_id
    where ${condition} and p.run_id is not null order by p.id desc limit 1
  )`;

/** Returns the event that announces the current state of a wait before a step. */
export function stepWaitEvent({
  id: stepId,
  runId: taskId,
  chatId,
  agentName,
  step: name,
  label,
  ...wait
}: StepWait): ApprovalEvent {
  if (wait.status !== 'pending') return { type: 'approval_decided', taskId, stepId, status: wait.status };
  const expiresAt = new Date(wait.expiresAt).toISOString();
  return { type: 'approval_requested', taskId, stepId, callId: stepId, chatId, agentName, name, label, expiresAt };
}
