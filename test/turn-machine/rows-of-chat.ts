import type { Database } from '../../db/core/database.ts';

/** What is stored of a turn. */
export interface TurnRow {
  readonly id: string;
  readonly status: string;
  readonly attempt: number;
  readonly isStopped: boolean;
  readonly isWaiting: boolean;
  readonly question: string | null;
  readonly isQuestionExcluded: boolean;
  readonly questions: number;
  readonly answers: readonly string[];
  readonly isWithdrawn: boolean;
}

/** What is stored of a call, and of the newest decision about it. */
export interface CallRow {
  readonly id: string;
  readonly turnId: string;
  readonly effect: 'read' | 'keyed' | 'once';
  readonly status: string;
  readonly result: string | null;
  readonly approvalId: string | null;
  readonly approval: string | null;
}

/** What is stored of a chat. */
export interface Rows {
  readonly turns: readonly TurnRow[];
  readonly calls: readonly CallRow[];
}

export async function readRows({ system }: Database, chatId: string): Promise<Rows> {
  const [turns, calls] = await Promise.all([
    system.query<TurnRow>(
      `select t.id, t.status, t.attempt, t.interrupt_requested_at is not null as "isStopped",
          t.waiting_until > now() as "isWaiting", q.content as question, coalesce(q.excluded, false) as "isQuestionExcluded",
          (select count(*)::int from messages m where m.turn_id = t.id and m.role = 'user') as questions,
          array(select m.content from messages m where m.turn_id = t.id and m.role = 'assistant') as answers,
          exists (select from messages m where m.turn_id = t.id and m.metadata -> 'withdrawn' = 'true') as "isWithdrawn"
        from turns t left join messages q on q.turn_id = t.id and q.role = 'user'
        where t.chat_id = $1 order by t.seq`,
      [chatId],
    ),
    system.query<CallRow>(
      `select k.id, k.turn_id as "turnId", k.effect, k.status, k.result, p.id as "approvalId", p.status as approval
        from tool_calls k join turns t on t.id = k.turn_id
          left join approvals p on p.call_id = k.id and p.status <> 'outdated'
        where t.chat_id = $1 order by t.seq, k.step, k.position`,
      [chatId],
    ),
  ]);
  return { turns: turns.rows, calls: calls.rows };
}
