import type { A2aTask, A2aTaskState } from '../../domain/a2a-tasks.ts';
import type { Membership } from '../../domain/orgs.ts';
import { isPublished } from '../agents/find-agents.ts';
import type { Database, TenantDatabase } from '../core/database.ts';

/** The user whose turns are meant, and their agent. */
export interface A2aTaskOwner extends Membership {
  readonly agentId: string;
}

const PENDING = `from approvals p where p.root_turn_id = t.id and p.status = 'pending'`;

/** The state of the task that `turns t` is, in SQL. */
export const STATE_OF_TASK = `case t.status when 'queued' then 'submitted' when 'running' then
    case when exists (select ${PENDING}) then 'input_required' else 'working' end
  when 'interrupted' then 'canceled' else t.status end`;

// To the milliseconds that positions in lists have.
const AT = "date_trunc('milliseconds', coalesce(t.ended_at, t.started_at, t.created_at))";

/** The columns of `A2aTask` from `turns t`, with the joins that `MESSAGES` makes. */
const columns = (answer: string) => `t.id, t.chat_id as "chatId", ${STATE_OF_TASK} as state, ${AT} as at,
  json_build_object('id', q.id, 'content', q.content) as question, ${answer} as answer, a.metadata ->> 'error' as error,
  coalesce(a.metadata ->> 'finish_reason' = 'length', false) as "isCut",
  coalesce((select json_agg(json_build_object('id', p.id, 'label', (
    select k.label from tool_calls k where k.id = p.call_id
  )) order by p.id) ${PENDING}), '[]') as approvals`;

const MESSAGES = `join messages q on q.turn_id = t.id and q.role = 'user'
  left join messages a on a.turn_id = t.id and a.role = 'assistant'`;

/** The chats of an owner: those that they have begun themselves with the agent. */
const CHATS = `c.org_id = $1 and c.user_id = $2 and c.agent_id = $3 and c.parent_chat_id is null and c.deleted_at is null`;

/** Returns a task of its owner; undefined when there is none. */
export async function findA2aTask(
  { tenant }: Database,
  { orgId, userId, agentId }: A2aTaskOwner,
  id: string,
): Promise<A2aTask | undefined> {
  const [task] = await tenant.query<A2aTask>(orgId, {
    name: 'a2a-task',
    text: `select ${columns('a.content')} from turns t join chats c on c.id = t.chat_id ${MESSAGES}
      where t.id = $4 and ${CHATS}`,
    values: [orgId, userId, agentId, id],
  });
  return task;
}

/** Returns a task of any user; undefined when its chat is deleted, or its agent is not published any more. */
export async function findPublishedTask(
  { tenant }: TenantDatabase,
  orgId: string,
  id: string,
): Promise<A2aTask | undefined> {
  const [task] = await tenant.query<A2aTask>(orgId, {
    name: 'published-a2a-task',
    text: `select ${columns('a.content')} from turns t join chats c on c.id = t.chat_id
        join agents g on g.id = c.agent_id and ${isPublished('g')} ${MESSAGES}
      where t.id = $1 and c.deleted_at is null`,
    values: [id],
  });
  return task;
}

/** A position in a list of tasks. */
export interface A2aTaskPosition {
  readonly at: Date;
  readonly id: string;
}

interface WantedTasks {
  /** The tasks of one chat; without it those of the chats that programs have begun. */
  readonly chatId: string | undefined;
  readonly state: A2aTaskState | undefined;
  readonly since: Date | undefined;
  /** The tasks that come after this position. */
  readonly after: A2aTaskPosition | undefined;
  readonly limit: number;
  readonly withAnswers: boolean;
}

/** A page of a list of tasks. */
export interface ListedTasks {
  readonly tasks: readonly A2aTask[];
  /** The number of tasks in the whole list. */
  readonly total: number;
  /** Whether further ones follow. */
  readonly hasMore: boolean;
}

/** How many chats a list searches, those that were used last; and the bytes of texts after which a page ends. */
const MAX_CHATS = 1_000;
const MAX_BYTES = 4 * 1024 ** 2;

/** Returns the tasks of their owner that changed last, newest first; fewer than wanted when their texts are long. */
export async function listA2aTasks(
  { tenant }: Database,
  { orgId, userId, agentId }: A2aTaskOwner,
  { chatId, state, since, after, limit, withAnswers }: WantedTasks,
): Promise<ListedTasks> {
  const filters = [chatId, state, since, after?.at, after?.id].map((value) => value ?? null);
  const rows = await tenant.query<A2aTask & { readonly total: number; readonly left: number }>(orgId, {
    ...LIST[chatId === undefined ? 'all' : 'ofChat'][withAnswers ? 'whole' : 'brief'],
    values: [orgId, userId, agentId, ...filters, limit],
  });
  const [first, last] = [rows[0], rows.at(-1)];
  const tasks = rows.map(({ total: _total, left: _left, ...task }) => task);
  return { tasks, total: first?.total ?? 0, hasMore: last !== undefined && last.left > 0 };
}

const listText = (ofChats: string, answer: string) => `with recent as (
    select c.id from chats c where ${CHATS} and ${ofChats} order by c.updated_at desc limit ${MAX_CHATS}
  ),
  wanted as (
    select * from (select t.id, ${STATE_OF_TASK} as state, ${AT} as at from recent join turns t on t.chat_id = recent.id) t
    where ($5::text is null or state = $5) and ($6::timestamptz is null or at >= $6)
  ),
  later as (
    select * from wanted where $7::timestamptz is null or (at, id) < ($7, $8::uuid)
    order by at desc, id desc limit $9::int + 1
  ),
  sized as (
    select l.id, l.at, count(*) over () - row_number() over page as "left",
      sum(octet_length(q.content) + coalesce(octet_length(${answer}), 0)) over page
        - octet_length(q.content) - coalesce(octet_length(${answer}), 0) as bytes_before
    from later l join turns t on t.id = l.id ${MESSAGES} window page as (order by l.at desc, l.id desc)
  )
  select ${columns(answer)}, (select count(*) from wanted) as total, s."left"
  from sized s join turns t on t.id = s.id ${MESSAGES}
  where s.bytes_before < ${MAX_BYTES} order by s.at desc, s.id desc limit $9::int`;

const listOf = (name: string, ofChats: string) => ({
  brief: { name: `a2a-tasks-${name}`, text: listText(ofChats, 'null::text') },
  whole: { name: `a2a-tasks-${name}-whole`, text: listText(ofChats, 'a.content') },
});

const LIST = {
  all: listOf('all', "$4::uuid is null and c.origin = 'program'"),
  ofChat: listOf('of-chat', 'c.id = $4'),
} as const;
