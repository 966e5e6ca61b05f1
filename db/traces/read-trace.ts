import { notFound } from '../../domain/core/app-error.ts';
import { type StepTokens, type TraceStep, workingMs } from '../../domain/traces/index.ts';
import { type ChatReader, readableChat } from '../chats/index.ts';
import type { Database } from '../core/index.ts';
import type { Statement } from '../core/sql-pool.ts';
import { buildSteps, sumUsage } from './build-trace.ts';
import { traceStatements } from './trace-rows.ts';
import { TURN_COLUMNS, TURN_JOINS, type TurnSummary } from './turn-summary.ts';

/** What happened in a turn and in the sub-agents below it. */
export interface Trace {
  readonly turn: TurnSummary;
  /** What is below a row follows it; otherwise in the order of time. */
  readonly steps: readonly TraceStep[];
  /** Whether further rows are left out. */
  readonly isCut: boolean;
  /** The time in which a model or a tool was at work, in milliseconds. */
  readonly workingMs: number;
  /** With sub-agents. */
  readonly usageInAll: StepTokens;
  /** Whether the chat is the reader's. */
  readonly isOwn: boolean;
}

/** Returns the trace of a turn in a chat that the reader may read; `not_found` when there is none. One round trip. */
export async function readTrace(
  { tenant }: Database,
  reader: ChatReader,
  { chatId, turnId }: { readonly chatId: string; readonly turnId: string },
): Promise<Trace> {
  const head: Statement<TurnSummary & { readonly readAt: Date; readonly isOwn: boolean }> = {
    name: 'trace-head',
    text: `select ${TURN_COLUMNS}, now() as "readAt", c.user_id = $3 as "isOwn" from turns t ${TURN_JOINS} where t.id = $1 and t.chat_id = $2`,
    values: [turnId, chatId, reader.userId],
  };
  const statements = [readableChat(reader, chatId), head, ...traceStatements(turnId)] as const;
  const [chats, [found], turns, steps, calls, approvals, usage] = await tenant.series(reader.orgId, statements);
  if (chats.length !== 1) throw notFound('Chat');
  if (found === undefined) throw notFound('Turn');
  const { readAt, isOwn, ...turn } = found;
  const built = buildSteps(turnId, { turns, steps, calls, approvals, usage });
  return { turn, ...built, workingMs: workingMs(built.steps, readAt), usageInAll: sumUsage(usage), isOwn };
}
