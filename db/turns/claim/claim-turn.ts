import { type GroupRules, type Policy, policyOf, type Role } from '../../../domain/permissions/index.ts';
import { DEMO_TYPE } from '../../../domain/provider-chains/index.ts';
import type { TurnRecord } from '../../../domain/transcripts/index.ts';
import { UNBOUNDED, type WorkBounds } from '../../../domain/settings/index.ts';
import type { Effect } from '../../../domain/tool-calls/index.ts';
import type { Database } from '../../core/database.ts';
import { groupsOf } from '../../permissions/index.ts';
import { chooseChain, restrictAccounts, restrictAgent, type OwnedAccount, type PlacedChain } from './restrict-turn.ts';
import { hasTurnPlace } from '../admission/places.ts';
import { AFTER_SEQ, HAS_FOREIGN_TEXT, HAS_STOPPED, ANCESTORS, type AncestorTurn } from '../ancestors.ts';

/**
 * What a look at a turn works with: the turn, who it is for and what they may do now, the agent, and the conversation up
 * to it. Of agent, chain and accounts it holds what the user's policy leaves.
 */
export interface ClaimedTurn {
  readonly id: string;
  readonly seq: number;
  /** Place of the turn before it in its chat, 0 when there is none. */
  readonly afterSeq: number;
  /** With `step` it fences: once a later attempt or step has begun, what was begun with these can store nothing. */
  readonly attempt: number;
  /** The model step to be taken, from 0: as many are stored. While calls are open it is still the step before. */
  readonly step: number;
  /** How often this step was begun since it last waited. */
  readonly stepTries: number;
  /** How often calls of the turn were begun anew because the process that ran them had ended in the middle. */
  readonly lostCallTries: number;
  readonly userId: string;
  /** Asked to stop, itself or with one of the turns above it. */
  readonly isInterrupted: boolean;
  /** A sub-agent whose time is up. */
  readonly isOverdue: boolean;
  /** Milliseconds that a sub-agent has left; null for the agent of a chat. */
  readonly remainingMs: number | null;
  readonly isChatDeleted: boolean;
  /** When it began to wait for a provider, until a step is stored. */
  readonly waitingSince: Date | null;
  /** What the user may do now; null when they are no longer a member of the organization. */
  readonly policy: Policy | null;
  /** Its place among the running turns of its user: 0 is that of the turn above it. Null when it has needed none. */
  readonly slot: number | null;
  readonly hasWaitedForSlot: boolean;
  /** Whether it may be at work: false when too many turns of its user, or of the organization, are. */
  readonly hasPlace: boolean;
  readonly hasWaitedForPlace: boolean;
  /** The turn above it. */
  readonly parentTurnId: string | null;
  readonly agent: TurnAgent;
  /** The turns above this one, root first, and their chats. */
  readonly ancestors: readonly AncestorTurn[];
  /** What a sub-agent was asked to do; null for the agent of a chat. `hasForeignText`: its answer may repeat text from outside. */
  readonly task: { readonly callId: string; readonly title: string; readonly hasForeignText: boolean } | null;
  /** Calls without a result. */
  readonly openCalls: readonly OpenCall[];
  /** Sub-agents that the turn has handed work to so far. */
  readonly subAgentCount: number;
  /** Tokens of the steps before. */
  readonly usedTokens: { readonly inputTokens: number; readonly outputTokens: number; readonly estimated: boolean };
  readonly chain: TurnChain | null;
  /** Oldest first; the last one is this turn. */
  readonly turns: readonly TurnRecord[];
  /** How many turns of the chat lie before the first of `turns`. */
  readonly firstIndex: number;
  /** The live accounts that may be used, shared ones and the user's own, oldest first. */
  readonly accounts: readonly TurnAccount[];
  /** Whether the organization has accounts of real models, but neither shared ones nor one of the user's own. */
  readonly hasOthersAccountsOnly: boolean;
}

/** The agent as it is now. */
export interface TurnAgent {
  readonly id: string;
  readonly name: string;
  readonly systemPrompt: string;
  readonly modelPref: string | null;
  readonly temperature: number;
  readonly maxTokens: number;
  readonly maxSubagents: number;
  readonly maxConcurrency: number;
  readonly tools: readonly string[];
  readonly skills: readonly string[];
  readonly isActive: boolean;
  readonly isDeleted: boolean;
}

/** A call that is to be run, or went on when its worker died. */
export interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly effect: Effect;
  /** The chat of the sub-agent that answers it. */
  readonly subChatId: string | null;
}

/** The provider chain that holds for the turn. */
export interface TurnChain {
  readonly id: string;
  readonly name: string;
  readonly steps: readonly { readonly provider_type: string; readonly model_name: string | null }[];
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
  readonly cooldownSeconds: number;
  readonly cooldownUntil: Date | null;
  readonly disabledReason: string | null;
  readonly lastUsedAt: Date | null;
}

const MAX_HISTORY_TURNS = 400;
/** More than the longest context window holds. It bounds the turns that are read, and the steps of the running one. */
const MAX_HISTORY_BYTES = 4_000_000;
/** Stands for the result of a call whose step is not read any more. */
const LEFT_OUT = '[Left out: the steps of this turn hold more than can be shown.]';

interface ClaimRow extends Omit<
  ClaimedTurn,
  'turns' | 'firstIndex' | 'accounts' | 'hasOthersAccountsOnly' | 'policy' | 'chain'
> {
  readonly place: number;
  readonly userRole: Role | null;
  readonly groups: readonly GroupRules[];
  readonly chains: readonly PlacedChain[];
}

/**
 * Looks at the oldest open turn of the chat and begins its next model step, or begins it anew: whoever was at it is
 * gone or was given up. While calls are open nothing is begun. `undefined` when no turn is open. One round trip, and a
 * second one for a user who may use no account of a real model.
 *
 * With the step it takes a place among the turns at work, when fewer are than the bounds say; several that do so in the
 * same instant do not see each other and may go beyond them together.
 *
 * With `stoppedTurnId` it claims that turn or none: only when it is to stop, and none of its calls is open.
 */
export async function claimTurn(
  { tenant }: Database,
  { orgId, chatId }: { orgId: string; chatId: string },
  { perUser, perOrg }: WorkBounds = UNBOUNDED,
  stoppedTurnId?: string,
): Promise<ClaimedTurn | undefined> {
  const [claims, history, accounts] = await tenant.series(orgId, [
    { name: 'claim-turn', text: CLAIM, values: [chatId, perUser, perOrg, stoppedTurnId ?? null] },
    { name: 'turn-history', text: HISTORY, values: [chatId] },
    { name: 'turn-accounts', text: ACCOUNTS, values: [orgId, chatId] },
  ]);
  const [row] = (claims ?? []) as ClaimRow[];
  if (row === undefined) return undefined;
  const { place, userRole, groups, chains, ...turn } = row;
  const turns = ((history ?? []) as TurnRecord[]).toReversed();
  const policy = userRole === null ? null : policyOf(userRole, groups);
  const usable = (accounts ?? []) as OwnedAccount[];
  const hasRealAccount = usable.some(({ providerType }) => providerType !== DEMO_TYPE);
  return {
    ...turn,
    turns,
    firstIndex: place - turns.length,
    policy,
    agent: policy === null ? turn.agent : restrictAgent(policy, turn.agent),
    chain: policy === null ? null : chooseChain(policy, chains),
    accounts: policy === null ? [] : restrictAccounts(policy, turn.userId, usable),
    hasOthersAccountsOnly: !hasRealAccount && (await hasAccountOfOthers(tenant, orgId)),
  };
}

// The step that is begun: the one after those stored. A step that is begun again is a new attempt.
const CLAIM = `with next as (
    select t.id, t.attempt, t.parent_turn_id, t.user_id, t.org_id, t.seq, t.is_at_work, t.is_waiting_for_place,
      exists (select from tool_calls k where k.turn_id = t.id and k.status in ('planned', 'running')) as is_calling,
      (select count(*)::int from model_steps s where s.turn_id = t.id) as next_step
    from turns t where t.chat_id = $1 and t.status in ('queued', 'running') and ($4::uuid is null or (t.id = $4
      and not exists (select from tool_calls k where k.turn_id = t.id and k.status in ('planned', 'running'))
      and ${HAS_STOPPED}))
    order by t.seq limit 1 for update
  ),
  begun as (
    update tasks set status = 'in_progress', started_at = now(), updated_at = now() from next
    where next.parent_turn_id is not null and next.attempt = 0 and tasks.id = next.id returning call_id
  ),
  called as (
    update tool_calls k set status = 'running', started_at = now() from begun where k.id = begun.call_id and k.status = 'planned'
  ),
  placed as materialized (
    select next.id, next.is_calling, next.next_step, next.parent_turn_id, next.is_waiting_for_place as was_waiting,
      next.is_at_work or (not next.is_calling and ${hasTurnPlace('next', '$2', '$3')}) as is_at_work
    from next
  )
  update turns t set status = 'running',
    attempt = case when next.is_calling or (t.attempt > 0 and t.step <> next_step) then t.attempt else t.attempt + 1 end,
    step = case when next.is_calling then t.step else next_step end,
    step_tries = case when next.is_calling then t.step_tries when t.step = next_step then t.step_tries + 1 else 1 end,
    waiting_until = null, started_at = coalesce(t.started_at, now()), next_wake_at = now() + interval '2 minutes',
    is_at_work = next.is_at_work, is_waiting_for_place = t.is_waiting_for_place and not next.is_at_work
  from placed next, chats c join agents a on a.id = c.agent_id
    left join memberships m on m.org_id = c.org_id and m.user_id = c.user_id
  where t.id = next.id and c.id = $1
  returning t.id, t.seq, ${AFTER_SEQ} as "afterSeq", t.attempt, t.step, t.step_tries as "stepTries", t.user_id as "userId",
    case when next_step = 0 then 0 else (select coalesce(sum(lost), 0)::int from (
      select max(k.tries) - 1 as lost from tool_calls k where k.turn_id = t.id and k.tries > 1 group by k.step
    ) broken) end as "lostCallTries",
    ${HAS_STOPPED} as "isInterrupted", coalesce(t.deadline_at <= now(), false) as "isOverdue",
    (extract(epoch from t.deadline_at - now()) * 1000)::bigint as "remainingMs",
    c.deleted_at is not null as "isChatDeleted", t.waiting_since as "waitingSince", m.role as "userRole",
    case when m.role in ('admin', 'owner') then '[]' else ${groupsOf('c.org_id', 'c.user_id')} end as groups,
    t.slot, t.is_waiting_for_slot as "hasWaitedForSlot", t.is_at_work or next.is_calling as "hasPlace",
    next.was_waiting as "hasWaitedForPlace", t.parent_turn_id as "parentTurnId",
    (select count(*)::int from turns p where p.chat_id = $1 and p.seq <= t.seq) as place,
    ${ANCESTORS} as ancestors,
    case when next.parent_turn_id is not null then
      (select json_build_object('callId', k.call_id, 'title', k.title, 'hasForeignText',
        ${HAS_FOREIGN_TEXT}) from tasks k where k.id = t.id) end as task,
    case when next.is_calling then (
      select json_agg(json_build_object('id', k.id, 'name', k.name, 'effect', k.effect, 'subChatId', s.sub_chat_id)
        order by k.position)
      from tool_calls k left join tasks s on s.call_id = k.id
      where k.turn_id = t.id and k.status in ('planned', 'running')
    ) else '[]' end as "openCalls",
    case when next_step = 0 then 0 else
      (select count(*)::int from tasks k where k.parent_turn_id = t.id) end as "subAgentCount",
    case when next_step = 0 then '{"inputTokens": 0, "outputTokens": 0, "estimated": false}' else (
      select json_build_object('inputTokens', coalesce(sum(input_tokens), 0), 'outputTokens',
        coalesce(sum(output_tokens), 0), 'estimated', coalesce(bool_or(estimated), false))
      from token_usage where turn_id = t.id
    ) end as "usedTokens",
    (select coalesce(json_agg(json_build_object('id', h.id, 'name', h.name, 'steps', h.steps, 'place', h.place)
        order by h.id), '[]')
      from (
        select p.*, case when p.id = c.provider_chain_id then 0 when p.id = a.provider_chain_id then 1
          when p.is_default then 2 else 3 end as place
        from provider_chains p where p.org_id = c.org_id
      ) h
      where h.place < 3 or exists (
        select from permission_group_members gm where gm.org_id = c.org_id and gm.user_id = c.user_id
      )
    ) as chains,
    json_build_object('id', a.id, 'name', a.name, 'systemPrompt', a.system_prompt, 'modelPref', a.model_pref,
      'temperature', a.temperature, 'maxTokens', a.max_tokens, 'maxSubagents', a.max_subagents, 'maxConcurrency',
      a.max_concurrency, 'tools', a.tools, 'skills', a.skills, 'isActive', a.is_active,
      'isDeleted', a.deleted_at is not null) as agent`;

// A subquery for each turn, not a join: a plan that is kept from when the table was empty would read it whole for each.
function messageOf(role: 'user' | 'assistant'): string {
  return `select m.content, m.excluded, m.metadata from messages m where m.turn_id = r.id and m.role = '${role}' limit 1`;
}

// What the steps of a turn hold beside their text, as it is read: how it is stored, compressed, bounds nothing.
function bytesOfSteps(turnId: string, step: string): string {
  return `(select coalesce(sum(coalesce(octet_length(b.raw_text), 0) + coalesce(octet_length(b.state::text), 0)), 0)
      from model_steps b where b.turn_id = ${turnId} ${step === '' ? '' : `and b.step = ${step}`})
    + (select coalesce(sum(octet_length(b.arguments::text) + coalesce(octet_length(b.result), 0)), 0)
      from tool_calls b where b.turn_id = ${turnId} ${step === '' ? '' : `and b.step = ${step}`})`;
}

// The claim has just marked the turn as running. Of a running turn that holds too much, the newest steps are read whole.
const HISTORY = `with recent as (
    select t.id, t.seq, t.status, t.step from turns t
    where t.chat_id = $1 and t.seq <= (select min(seq) from turns where chat_id = $1 and status = 'running')
    order by t.seq desc limit ${MAX_HISTORY_TURNS}
  ),
  sized as (
    select r.*, u.content as question, u.excluded as question_excluded, a.content as answer, a.excluded as answer_excluded,
      a.metadata ->> 'error' as error,
      sum(octet_length(u.content) + coalesce(octet_length(a.content), 0)
        + case when r.step > 0 then ${bytesOfSteps('r.id', '')} else 0 end) over (order by r.seq desc) as total
    from recent r join lateral (${messageOf('user')}) u on true left join lateral (${messageOf('assistant')}) a on true
  )
  select case when t.question_excluded and t.status <> 'running' then null else t.question end as question,
    case when (t.step > 0 or t.status = 'running') and not coalesce(t.answer_excluded, false) then (
      select coalesce(json_agg(json_build_object('text', s.text, 'rawText', case when s.is_kept then s.raw_text end, 'state',
        case when s.is_kept then s.state end, 'calls', (
          select coalesce(json_agg(json_build_object('id', k.id, 'name', k.name, 'arguments',
            case when s.is_kept then k.arguments else '{}' end, 'status', k.status, 'result',
            case when s.is_kept or k.result is null then k.result else '${LEFT_OUT}' end) order by k.position), '[]')
          from tool_calls k where k.turn_id = s.turn_id and k.step = s.step
        )) order by s.step), '[]')
      from (
        select m.*, t.status <> 'running' or row_number() over newest = 1 or sum(m.bytes) over newest <= ${MAX_HISTORY_BYTES} as is_kept
        from (
          select o.*, case when t.status = 'running' then ${bytesOfSteps('t.id', 'o.step')} else 0 end as bytes
          from model_steps o where o.turn_id = t.id
        ) m window newest as (order by m.step desc)
      ) s
    ) else '[]' end as steps,
    case when t.answer is null or t.answer_excluded then null
      else json_build_object('content', t.answer, 'status', t.status, 'error', t.error) end as answer
  from sized t
  where t.total <= ${MAX_HISTORY_BYTES} or t.status = 'running'
  order by t.seq desc`;

// Asked when the user may use none: whether they have the demo model, or a reason to ask for an account.
async function hasAccountOfOthers(tenant: Database['tenant'], orgId: string): Promise<boolean> {
  const rows = await tenant.query(orgId, {
    name: 'has-account-of-others',
    text: `select 1 from provider_accounts where org_id = $1 and not shared and deleted_at is null and provider_type <> $2 limit 1`,
    values: [orgId, DEMO_TYPE],
  });
  return rows.length > 0;
}

/** Accounts that are looked at of those shared with everybody, and of those of the user alone: none hides the others. */
const MAX_ACCOUNTS = 100;

const ACCOUNTS = `with shared as (
    select * from provider_accounts where org_id = $1 and shared and deleted_at is null order by id limit ${MAX_ACCOUNTS}
  ),
  own as (
    select * from provider_accounts where org_id = $1 and not shared and deleted_at is null
      and user_id = (select user_id from chats where id = $2)
    order by id limit ${MAX_ACCOUNTS}
  )
  select id, org_id as "orgId", user_id as "userId", provider_type as "providerType", name, credentials,
    model_name as "modelName", base_url as "baseUrl", cooldown_seconds as "cooldownSeconds",
    cooldown_until as "cooldownUntil", disabled_reason as "disabledReason", last_used_at as "lastUsedAt"
  from (select * from shared union all select * from own) usable order by id`;
