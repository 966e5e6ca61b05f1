import { type PermissionGroup, type Policy, policyOf, type Role } from '../../domain/permissions/index.ts';
import type { WorkBounds } from '../../domain/settings/index.ts';
import type { CallStatus, Effect, FinalCallStatus } from '../../domain/tool-calls/index.ts';
import type { Database } from '../core/database.ts';
import { groupsOf } from '../permissions/index.ts';
import { IS_PLACE_WANTED } from './places.ts';
import { AFTER_SEQ, HAS_FOREIGN_TEXT, HAS_STOPPED, WATCHERS, type Watcher } from './watchers.ts';

/** A call that is about to be run, and what is needed for that. */
export interface BegunCall {
  readonly id: string;
  /** Fences: once a later attempt has begun, this one can store no result. */
  readonly attempt: number;
  /** Whether an earlier attempt had begun it, and may have done what the tool does. */
  readonly wasBegun: boolean;
  /** How often it was begun without an orderly end, this time included. */
  readonly tries: number;
  readonly name: string;
  readonly label: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly effect: Effect;
  /** Whether its chat, or one above it, has read text from outside. */
  readonly hasForeignText: boolean;
  readonly turn: {
    readonly id: string;
    readonly seq: number;
    readonly afterSeq: number;
    readonly chatId: string;
    readonly userId: string;
    readonly isInterrupted: boolean;
    readonly remainingMs: number | null;
    readonly watchers: readonly Watcher[];
    /** Whether sub-agents work for it as well. */
    readonly isDelegating: boolean;
  };
  /** Whether it must wait: too many calls of its user, or of the organization, are at work. Nothing has begun then. */
  readonly isHeld: boolean;
  /** The chat whose workspace it works in: that of the agent at the root. */
  readonly rootChatId: string;
  readonly agent: {
    readonly id: string;
    readonly tools: readonly string[];
    readonly isUsable: boolean;
  };
  /** What the user may do now; null when they are no longer a member of the organization. */
  readonly policy: Policy | null;
}

interface BegunRow extends Omit<BegunCall, 'policy'> {
  readonly userRole: Role | null;
  readonly groups: readonly PermissionGroup[];
}

/**
 * Begins an attempt at a call. It is marked as running, which is the intent that must be stored before a tool is called;
 * unless the turn was asked to stop: then it stays as it is. `undefined` when the call has a result.
 *
 * With bounds it takes a place among the calls at work, when fewer are than they say; several that do so in the same
 * instant do not see each other and may go beyond them together. Without, it works in the place of its turn.
 */
export async function beginCall(
  { tenant }: Database,
  { orgId, callId }: { orgId: string; callId: string },
  bounds?: WorkBounds,
): Promise<BegunCall | undefined> {
  const [row] = await tenant.query<BegunRow>(orgId, {
    name: 'begin-call',
    text: `with target as (
        select k.id, k.status = 'running' as was_begun, ${HAS_STOPPED} as is_interrupted, t.user_id, t.org_id
        from tool_calls k join turns t on t.id = k.turn_id
        where k.id = $1 and k.status in ('planned', 'running') and t.status = 'running' for update of k
      ),
      placed as (
        select target.*, not target.is_interrupted and not target.was_begun and $2
          and not has_call_place(target.user_id, target.org_id, $3, $4) as is_held
        from target
      ),
      admitted as (select placed.*, not is_interrupted and not is_held as is_begun from placed)
      update tool_calls k set attempt = k.attempt + case when target.is_held then 0 else 1 end,
        tries = case when target.is_begun then k.tries + 1 else k.tries end,
        status = case when target.is_begun then 'running' else k.status end,
        started_at = case when target.is_begun then coalesce(k.started_at, now()) else k.started_at end,
        holder_id = case when target.is_begun and $2 then target.user_id end
      from admitted target, turns t join chats c on c.id = t.chat_id join agents a on a.id = c.agent_id
        left join memberships m on m.org_id = t.org_id and m.user_id = t.user_id
      where k.id = target.id and t.id = k.turn_id
      returning k.id, k.attempt, target.was_begun as "wasBegun", k.tries, k.name, k.label, k.arguments, k.effect,
        ${HAS_FOREIGN_TEXT} as "hasForeignText",
        json_build_object('id', t.id, 'seq', t.seq, 'afterSeq', ${AFTER_SEQ}, 'chatId', t.chat_id, 'userId', t.user_id, 'isInterrupted',
          target.is_interrupted, 'remainingMs', (extract(epoch from t.deadline_at - now()) * 1000)::bigint, 'watchers',
          (${WATCHERS})::json, 'isDelegating', exists (
            select from tool_calls s where s.turn_id = t.id and s.effect = 'agent' and s.status in ('planned', 'running')
          )) as turn, target.is_held as "isHeld",
        coalesce((select r.chat_id from turns r where r.id = t.ancestor_ids[1]), t.chat_id) as "rootChatId",
        json_build_object('id', a.id, 'tools', a.tools, 'isUsable', a.is_active and a.deleted_at is null) as agent,
        m.role as "userRole",
        case when m.role in ('admin', 'owner') then '[]' else ${groupsOf('t.org_id', 't.user_id')} end as groups`,
    values: [callId, bounds !== undefined, bounds?.perUser ?? 0, bounds?.perOrg ?? 0],
  });
  if (row === undefined) return undefined;
  const { userRole, groups, ...call } = row;
  return { ...call, policy: userRole === null ? null : policyOf(userRole, groups) };
}

/** Takes back that an attempt at a call was begun: it has ended in an orderly way, though without a result. Safe to repeat. */
export async function takeBackTry(
  { tenant }: Database,
  orgId: string,
  call: { readonly id: string; readonly attempt: number; readonly tries: number },
): Promise<void> {
  await tenant.query(orgId, {
    name: 'take-back-try',
    text: `update tool_calls set tries = greatest($3 - 1, 0)
      where id = $1 and attempt = $2 and status in ('planned', 'running')`,
    values: [call.id, call.attempt, call.tries],
  });
}

/** What came of a call. */
export interface CallResult {
  readonly status: FinalCallStatus;
  /** What the model is told. */
  readonly result: string;
  /** Whether the result holds text from outside: the chat then has read such. */
  readonly isForeign?: boolean;
}

/** What became of the result of an attempt at a call. */
export interface ClosedCall {
  /** False, with nothing stored, when a later attempt has begun or the call has a result. */
  readonly isStored: boolean;
  /** Whether its turn has left its place among those at work, and somebody waits for it. */
  readonly isPlaceWanted: boolean;
}

interface CallToClose {
  readonly id: string;
  readonly attempt: number;
  readonly turn: Pick<BegunCall['turn'], 'id' | 'isDelegating'>;
}

/**
 * Stores what came of an attempt at a call. When only sub-agents still work for its turn after that, the turn leaves its
 * place to them. Both are sent at once, so that no worker dies between the two; and they are two, because of calls that end
 * in one instant the later one must see the other's end.
 */
export async function closeCall(
  { tenant }: Database,
  orgId: string,
  { id, attempt, turn }: CallToClose,
  { status, result, isForeign = false }: CallResult,
): Promise<ClosedCall> {
  const close = { name: 'close-call', text: CLOSE_CALL, values: [id, attempt, status, result, isForeign] };
  const leave = { name: 'leave-place-to-sub-agents', text: LEAVE_PLACE, values: [turn.id] };
  const [closed = [], left = []] = await tenant.series(orgId, turn.isDelegating ? [close, leave] : [close]);
  const [place] = left as { isPlaceWanted: boolean }[];
  return { isStored: closed.length > 0, isPlaceWanted: place?.isPlaceWanted ?? false };
}

const CLOSE_CALL = `with closed as (
    update tool_calls set status = $3, result = $4, ended_at = now()
    where id = $1 and attempt = $2 and status in ('planned', 'running') returning id, turn_id
  ),
  noted as (
    update chats c set has_foreign_text = true from closed join turns t on t.id = closed.turn_id
    where $5 and c.id = t.chat_id and not c.has_foreign_text
  )
  select id from closed`;

const LEAVE_PLACE = `update turns t set is_at_work = false where id = $1 and is_at_work and status = 'running' and not exists (
    select from tool_calls k where k.turn_id = $1 and k.effect <> 'agent' and k.status in ('planned', 'running')
  ) and exists (
    select from tool_calls k where k.turn_id = $1 and k.effect = 'agent' and k.status in ('planned', 'running')
  )
  returning ${IS_PLACE_WANTED} as "isPlaceWanted"`;

/** A call as the turn's message tells of it. */
export interface TurnCall {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly status: CallStatus;
  readonly result: string | null;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  /** The sub-agent that answered it. */
  readonly task: TurnTask | null;
}

/** Work that was handed to a sub-agent. */
export interface TurnTask {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly agentId: string | null;
  readonly agentName: string | null;
  readonly subChatId: string | null;
  readonly output: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What is read of a result and of a sub-agent's answer, in characters: more than is shown of them in the end. */
const MAX_TEXT_READ = 4_000;

/** What is read of the arguments of a turn's calls, in bytes; the calls beyond it come without. */
const MAX_ARGUMENTS_READ = 4_000_000;
/** Arguments of a call that are read whole, in bytes; of longer ones the beginnings of the first ones are. */
const MAX_WHOLE_ARGUMENTS = 16_000;

/** Every call of a turn, in order, with the beginnings of its arguments and of what came of it. */
export async function listTurnCalls({ tenant }: Database, orgId: string, turnId: string): Promise<TurnCall[]> {
  return tenant.query<TurnCall>(orgId, {
    name: 'list-turn-calls',
    text: `select k.id, k.name, k.label, ${BOUNDED_ARGUMENTS} as arguments, k.status, left(k.result, ${MAX_TEXT_READ}) as result, k.started_at as "startedAt",
        k.ended_at as "endedAt", case when s.id is not null then json_build_object('id', s.id, 'title', s.title, 'status',
          s.status, 'agentId', s.assigned_agent_id, 'agentName', a.name, 'subChatId', s.sub_chat_id, 'output', left(s.output, ${MAX_TEXT_READ}),
          'inputTokens', coalesce(u.input_tokens, 0), 'outputTokens', coalesce(u.output_tokens, 0)) end as task
      from (
          select c.*, sum(least(octet_length(c.arguments::text), ${MAX_WHOLE_ARGUMENTS})) over (order by c.step, c.position) as total
          from tool_calls c where c.turn_id = $1
        ) k left join tasks s on s.call_id = k.id left join agents a on a.id = s.assigned_agent_id
        left join lateral (
          select sum(input_tokens) as input_tokens, sum(output_tokens) as output_tokens from token_usage where turn_id = s.id
        ) u on true
      order by k.step, k.position`,
    values: [turnId],
  });
}

const BOUNDED_ARGUMENTS = `case when k.total > ${MAX_ARGUMENTS_READ} then '{}'
  when octet_length(k.arguments::text) <= ${MAX_WHOLE_ARGUMENTS} then k.arguments
  else (
    select jsonb_object_agg(left(e.key, 200), case
      when jsonb_typeof(e.value) = 'string' then to_jsonb(left(e.value #>> '{}', ${MAX_TEXT_READ}))
      when octet_length(e.value::text) <= 2000 then e.value else to_jsonb('…'::text) end)
    from (select * from jsonb_each(k.arguments) limit 4) e
  ) end`;
