import { v7 as uuidv7 } from 'uuid';
import type { FinalTurnStatus, TokenUsage } from '../../domain/turns/index.ts';
import type { Database } from '../core/database.ts';

/** How a turn ended, and what its assistant message says. */
export interface TurnOutcome {
  readonly turnId: string;
  readonly chatId: string;
  readonly orgId: string;
  readonly attempt: number;
  readonly status: FinalTurnStatus;
  readonly content: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly agentId: string;
  /** Display name of the account that answered. */
  readonly providerUsed: string | null;
  /** Absent when no model was asked. */
  readonly usage: (TokenUsage & { readonly model: string; readonly providerAccountId: string | null }) | undefined;
}

/**
 * Ends a turn: its state, its one assistant message and the tokens it used, in one transaction. Answers `undefined`,
 * and stores nothing, when a later attempt has begun or the turn has ended already.
 * `hasMore` tells whether further turns of the chat wait.
 */
export async function finishTurn(
  { tenant }: Database,
  outcome: TurnOutcome,
): Promise<{ hasMore: boolean } | undefined> {
  const { usage } = outcome;
  const [row] = await tenant.query<{ hasMore: boolean }>(outcome.orgId, {
    name: 'finish-turn',
    text: FINISH,
    values: [
      outcome.turnId,
      outcome.attempt,
      outcome.status,
      uuidv7(),
      outcome.content,
      JSON.stringify(outcome.metadata),
      outcome.providerUsed,
      outcome.agentId,
      outcome.chatId,
      usage?.model ?? null,
      usage?.inputTokens ?? 0,
      usage?.outputTokens ?? 0,
      usage?.estimated ?? false,
      usage?.providerAccountId ?? null,
    ],
  });
  return row;
}

const FINISH = `with closed as (
    update turns set status = $3, ended_at = now() where id = $1 and attempt = $2 and status = 'running' returning *
  ),
  used as (
    insert into token_usage (turn_id, step, org_id, chat_id, user_id, provider_account_id, model, input_tokens,
      output_tokens, estimated)
    select id, 0, org_id, chat_id, user_id, (select id from provider_accounts where id = $14::uuid), $10, $11, $12, $13
    from closed where $10::text is not null
  ),
  touched as (update chats set updated_at = now() from closed where chats.id = closed.chat_id)
  insert into messages (id, org_id, chat_id, turn_id, role, content, metadata, provider_used, agent_id, user_id)
  select $4, org_id, chat_id, id, 'assistant', $5, $6, $7, $8, user_id from closed
  returning exists (
    select from turns where chat_id = $9 and status in ('queued', 'running') and id <> $1
  ) as "hasMore"`;
