import { notFound } from '../../domain/core/app-error.ts';
import { maskSecrets } from '../../domain/secrets/index.ts';
import type { CallStatus, Effect } from '../../domain/tool-calls/index.ts';
import { type ChatReader, readableChat } from '../chats/index.ts';
import type { Database } from '../core/index.ts';
import type { Statement } from '../core/sql-pool.ts';
import { parseJsonTexts, type WithJsonTexts } from '../records/index.ts';

/** A tool call, whole. */
export interface TracedCall {
  readonly id: string;
  readonly turnId: string;
  readonly name: string;
  readonly label: string;
  readonly effect: Effect;
  readonly status: CallStatus;
  /** Those of the model; likely secrets are masked. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Those with which a person has approved it instead; null when they were not changed. */
  readonly editedArguments: Readonly<Record<string, unknown>> | null;
  /** Null until it has one. */
  readonly result: string | null;
  readonly tries: number;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
}

/** Returns a call of a turn in a chat that the reader may read; `not_found` when there is none. */
export async function readCall(
  { tenant }: Database,
  reader: ChatReader,
  { chatId, turnId, callId }: { readonly chatId: string; readonly turnId: string; readonly callId: string },
): Promise<TracedCall> {
  const read: Statement<WithJsonTexts<TracedCall, 'arguments' | 'editedArguments'>> = {
    name: 'traced-call',
    text: `select k.id, k.turn_id as "turnId", k.name, k.label, k.effect, k.status, k.arguments::text as arguments,
        p.edited_arguments::text as "editedArguments", k.result, k.tries, k.created_at as "createdAt",
        k.started_at as "startedAt", k.ended_at as "endedAt"
      from tool_calls k join turns t on t.id = k.turn_id left join approvals p on p.call_id = k.id and p.status <> 'outdated'
      where k.id = $1 and k.turn_id = $2 and t.chat_id = $3`,
    values: [callId, turnId, chatId],
  };
  const [chats, [row]] = await tenant.series(reader.orgId, [readableChat(reader, chatId), read]);
  if (chats.length !== 1) throw notFound('Chat');
  if (row === undefined) throw notFound('Call');
  const call = parseJsonTexts<TracedCall, 'arguments' | 'editedArguments'>(row, ['arguments', 'editedArguments']);
  const { arguments: args, editedArguments: edited } = call;
  return { ...call, arguments: maskSecrets(args), editedArguments: edited && maskSecrets(edited) };
}
