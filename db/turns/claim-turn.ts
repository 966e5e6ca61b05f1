import type { Role } from '../../domain/permissions/index.ts';
import type { Database } from '../core/database.ts';

/** What an attempt at a turn works with: the turn, who it is for, the agent, and the conversation up to it. */
export interface ClaimedTurn {
  readonly id: string;
  readonly seq: number;
  /** Number of this attempt, from 1. It fences: once a later attempt has begun, this one can store nothing. */
  readonly attempt: number;
  readonly userId: string;
  readonly isInterrupted: boolean;
  readonly isChatDeleted: boolean;
  /** Null when the user is no longer a member of the organization. */
  readonly userRole: Role | null;
  readonly agent: TurnAgent;
  /** Oldest first; the last one is the message to answer. */
  readonly history: readonly HistoryMessage[];
  /** The organization's live accounts, oldest first. */
  readonly accounts: readonly TurnAccount[];
}

/** The agent as it is when the attempt begins. */
export interface TurnAgent {
  readonly id: string;
  readonly name: string;
  readonly systemPrompt: string;
  readonly modelPref: string | null;
  readonly temperature: number;
  readonly maxTokens: number;
  readonly isActive: boolean;
  readonly isDeleted: boolean;
}

/** A message of the conversation that the agent may see. */
export interface HistoryMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** An account with its credentials still encrypted. */
export interface TurnAccount {
  readonly id: string;
  readonly orgId: string;
  readonly providerType: string;
  readonly name: string;
  readonly credentials: Buffer | null;
  readonly modelName: string | null;
  readonly baseUrl: string | null;
}

const MAX_HISTORY_MESSAGES = 400;

type ClaimRow = Omit<ClaimedTurn, 'history' | 'accounts'>;

/**
 * Begins the next attempt at the oldest open turn of the chat, also when an earlier attempt still seems to run: that
 * one's worker is gone or was given up. Answers `undefined` when no turn is open. One round trip.
 */
export async function claimTurn(
  { tenant }: Database,
  { orgId, chatId }: { orgId: string; chatId: string },
): Promise<ClaimedTurn | undefined> {
  const [claims, history, accounts] = await tenant.series(orgId, [
    { name: 'claim-turn', text: CLAIM, values: [chatId] },
    { name: 'turn-history', text: HISTORY, values: [chatId] },
    { name: 'turn-accounts', text: ACCOUNTS, values: [orgId] },
  ]);
  const [turn] = (claims ?? []) as ClaimRow[];
  if (turn === undefined) return undefined;
  return {
    ...turn,
    history: ((history ?? []) as HistoryMessage[]).toReversed(),
    accounts: (accounts ?? []) as TurnAccount[],
  };
}

const CLAIM = `with next as (
    select id from turns where chat_id = $1 and status in ('queued', 'running') order by seq limit 1 for update
  )
  update turns t set status = 'running', attempt = t.attempt + 1, started_at = coalesce(t.started_at, now()),
    next_wake_at = now() + interval '2 minutes'
  from next, chats c join agents a on a.id = c.agent_id
    left join memberships m on m.org_id = c.org_id and m.user_id = c.user_id
  where t.id = next.id and c.id = $1
  returning t.id, t.seq, t.attempt, t.user_id as "userId", t.interrupt_requested_at is not null as "isInterrupted",
    c.deleted_at is not null as "isChatDeleted", m.role as "userRole",
    json_build_object('id', a.id, 'name', a.name, 'systemPrompt', a.system_prompt, 'modelPref', a.model_pref,
      'temperature', a.temperature, 'maxTokens', a.max_tokens, 'isActive', a.is_active,
      'isDeleted', a.deleted_at is not null) as agent`;

// The claim has just marked the turn as running. A failed answer is our words, not the model's: it stays out.
const HISTORY = `select m.role, m.content
  from turns t join messages m on m.turn_id = t.id
  where t.chat_id = $1
    and t.seq <= (select min(seq) from turns where chat_id = $1 and status = 'running')
    and (t.status = 'running' or not m.excluded)
    and m.content <> ''
    and (m.role = 'user' or m.metadata ->> 'status' <> 'failed')
  order by t.seq desc, m.seq desc limit ${MAX_HISTORY_MESSAGES}`;

const ACCOUNTS = `select id, org_id as "orgId", provider_type as "providerType", name, credentials,
    model_name as "modelName", base_url as "baseUrl"
  from provider_accounts where org_id = $1 and deleted_at is null order by id limit 100`;
