import type { ApprovalStatus, CallDetail } from '../../domain/approvals.ts';
import { notFound } from '../../domain/core/app-error.ts';
import { allowedIds } from '../../domain/permissions/restrict.ts';
import { type Policy, policyAllows } from '../../domain/permissions/policy.ts';
import type { Role } from '../../domain/permissions/keys.ts';
import { type Asked, type DecidingRole, rolesAnsweredBy } from '../../domain/questions.ts';
import { type ChatReader, readableBy } from '../chats/chat.ts';
import type { Database, TenantDatabase } from '../core/database.ts';
import { type Listed, type Page, readPage } from '../core/page.ts';
import { parseJsonTexts, userName, type WithJsonTexts } from '../records/records.ts';
import { STEP_LABEL, STEP_NAME } from '../turns/progress/chat-progress.ts';

/** A tool call, or a step of a workflow's run, that waits, or has waited, for a person's decision. */
export interface Approval {
  readonly id: string;
  /** The chat of the agent that makes the call, which has a parent for a sub-agent; the conversation of the run. */
  readonly chatId: string;
  /** Null for a step, as is the call. */
  readonly turnId: string | null;
  readonly callId: string | null;
  /** Null for a call, as are the workflow and the step. */
  readonly runId: string | null;
  readonly workflowId: string | null;
  /** The name of the step. */
  readonly step: string | null;
  /** The user in whose name the agent works. */
  readonly userId: string;
  /** Whether somebody else has to approve it. */
  readonly otherPerson: boolean;
  readonly agentId: string;
  readonly agentName: string;
  /** The key of the tool; null for a step. */
  readonly tool: string | null;
  readonly label: string;
  /** The arguments that the model gave; for a step its `prompt`. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Those with which it was approved, or is to be approved again, instead; null when they were not changed. */
  readonly editedArguments: Readonly<Record<string, unknown>> | null;
  /** Further details of the call, such as its address; none for a step. */
  readonly details: readonly CallDetail[];
  readonly status: ApprovalStatus;
  readonly requestedAt: Date;
  readonly expiresAt: Date;
  /** How many people have to approve it. */
  readonly quorum: number;
  /** Who has approved or denied it, in this order; none for a question. */
  readonly votes: readonly Vote[];
  /** When the person who has to decide is reminded; null when they were, or are not to be. */
  readonly remindAt: Date | null;
  /** When it is escalated; null when it was, or is not to be. */
  readonly escalateAt: Date | null;
  readonly escalatedAt: Date | null;
  /** A further person or role that decides because nobody had; null for none. */
  readonly escalatedTo: Deputy | null;
  readonly decidedBy: string | null;
  readonly deciderName: string | null;
  readonly decidedAt: Date | null;
  /** The note of the person who decided. */
  readonly note: string | null;
  /** Set for a question, which is answered instead of approved. */
  readonly question: Question | null;
  /** The answer to a question: the default one when it is `expired`. */
  readonly answer: string | null;
}

interface Vote {
  readonly userId: string;
  readonly userName: string | null;
  readonly approve: boolean;
  readonly note: string | null;
  readonly votedAt: Date;
}

interface Deputy {
  readonly userId: string | null;
  readonly userName: string | null;
  readonly role: DecidingRole | null;
}

/** Who may answer a question, and the possible answers. */
interface Question extends Asked {
  readonly text: string;
  /** The answers to choose from; null when any text is one. */
  readonly options: readonly string[] | null;
  /** The answer when nobody gives one in time. */
  readonly defaultAnswer: string;
  /** The name of the only user who is asked. */
  readonly userName: string | null;
}

/** An approval, and what editing its arguments takes. */
export interface EditableApproval extends Approval {
  /** The JSON Schema of the arguments; null when they cannot be edited, or no longer. */
  readonly parameters: Readonly<Record<string, unknown>> | null;
}

/** An approval as it is read: its arguments as they were written. */
type Row<T extends Approval> = WithJsonTexts<T, 'arguments' | 'editedArguments'>;

function ofRow<T extends Approval>(row: Row<T>): T {
  const parsed = parseJsonTexts<T, 'arguments' | 'editedArguments'>(row, ['arguments', 'editedArguments']);
  // In JSON, the times of nested rows are text.
  return { ...parsed, votes: row.votes.map((vote) => ({ ...vote, votedAt: new Date(vote.votedAt) })) };
}

const APPROVAL = `p.id, p.chat_id as "chatId", p.turn_id as "turnId", p.call_id as "callId", p.run_id as "runId",
  r.workflow_id as "workflowId", ${STEP_NAME} as step, c.user_id as "userId",
  o.approvals_other_person as "otherPerson", a.id as "agentId", a.name as "agentName", k.name as tool,
  case when p.run_id is null then k.label else ${STEP_LABEL} end as label,
  (case when p.run_id is null then k.arguments else json_build_object('prompt', p.prompt) end)::text as arguments, p.edited_arguments::text as "editedArguments", p.details,
  p.status, p.requested_at as "requestedAt", p.expires_at as "expiresAt", p.quorum,
  (select coalesce(jsonb_agg(v.vote || jsonb_build_object('userName', ${userName('voter')}) order by v.n), '[]')
    from jsonb_array_elements(p.votes) with ordinality v (vote, n)
      left join users voter on voter.id = (v.vote ->> 'userId')::uuid) as votes,
  case when p.status = 'pending' then p.remind_at end as "remindAt",
  case when p.status = 'pending' then p.escalate_at end as "escalateAt", p.escalated_at as "escalatedAt",
  case when p.escalated_at is not null then json_build_object('userId', p.escalated_user_id, 'role', p.escalated_role,
    'userName', (select ${userName('deputy')} from users deputy where deputy.id = p.escalated_user_id)) end as "escalatedTo",
  p.decided_by as "decidedBy",
  ${userName('u')} as "deciderName", p.decided_at as "decidedAt", p.note, p.answer,
  case when p.default_answer is not null then json_build_object('userId', p.asked_user_id, 'role', p.asked_role,
    'userName', (select ${userName('asked')} from users asked where asked.id = p.asked_user_id),
    'text', k.arguments ->> 'question', 'options', k.arguments -> 'options', 'defaultAnswer', p.default_answer) end as question`;

// A `case`, not `coalesce`: row-level security would keep the condition from being looked up in an index.
const AGENT = 'case when p.agent_id is null then c.agent_id else p.agent_id end';

// Every approval has its agent: the `left` keeps the planner from thinking that few do, and from reading all of them
// for one page.
const JOINS = `join chats c on c.id = p.chat_id left join agents a on a.id = ${AGENT}
  left join tool_calls k on k.id = p.call_id left join workflow_runs r on r.id = p.run_id left join users u on u.id = p.decided_by
  left join orgs o on o.id = p.org_id`;

const IS_READER = readableBy('c', '$1', '$2');
const isAskedOf = (roles: string) => `(p.asked_user_id = $1 or p.asked_role = any(${roles}::text[]))`;
const isEscalatedTo = (roles: string) => `(p.escalated_user_id = $1 or p.escalated_role = any(${roles}::text[]))`;

/**
 * A reader of approvals of the agents that they may use: those of the chats that they may read, questions to them, and
 * what is escalated to them.
 */
export interface ApprovalReader extends ChatReader {
  readonly role: Role;
  /** Absent when all agents may be used. */
  readonly allowedAgentIds: readonly string[] | undefined;
}

/** Returns a member as a reader of approvals. */
export function approvalReaderOf({
  orgId,
  userId,
  role,
  policy,
}: {
  readonly orgId: string;
  readonly userId: string;
  readonly role: Role;
  readonly policy: Policy;
}): ApprovalReader {
  const seesShared = policyAllows(policy, 'chats.view_shared');
  return { orgId, userId, role, seesShared, allowedAgentIds: allowedIds(policy, 'agentIds') };
}

interface ApprovalPage extends Page {
  readonly status: ApprovalStatus | undefined;
  readonly chatId: string | undefined;
  readonly agentId: string | undefined;
}

/**
 * Returns the approvals that the reader may see, newest first. With a chat, those of its sub-agents are among them.
 * Without, questions to others are left out, unless they are escalated to the reader.
 */
export async function listApprovals(
  { tenant }: Database,
  reader: ApprovalReader,
  page: ApprovalPage,
): Promise<Listed<Approval>> {
  const source = `from approvals p ${JOINS} where ${matches(page)}`;
  const { items, ...listed } = await readPage<Row<Approval>>(
    async (statement) => tenant.query(reader.orgId, statement),
    {
      name: nameOf(page),
      columns: APPROVAL,
      bytes: `900 + coalesce(octet_length(k.label) + octet_length(k.arguments::text), octet_length(p.prompt), 0) + coalesce(octet_length(p.edited_arguments::text), 0)
      + octet_length(p.details::text) + octet_length(p.votes::text) + coalesce(octet_length(p.note), 0) + coalesce(octet_length(p.answer), 0)`,
      source,
      total: `(select count(*) ${source})`,
      order: 'p.id desc',
      values: [
        reader.userId,
        reader.seesShared,
        reader.orgId,
        reader.allowedAgentIds ?? null,
        page.chatId ?? null,
        page.agentId ?? null,
        rolesAnsweredBy(reader.role),
        ...(page.status === 'pending' ? [] : [page.status ?? null]),
      ],
      page,
    },
  );
  return { ...listed, items: items.map(ofRow) };
}

const READ_OR_ASKED = `(${IS_READER} or ${isAskedOf('$7')} or ${isEscalatedTo('$7')})`;
const OWN_OR_ASKED = `(case when p.default_answer is null then ${IS_READER} else ${isAskedOf('$7')} end or ${isEscalatedTo('$7')})`;

// Written out for those that are pending and for those of a chat: there is an index for each.
const matches = ({ status, chatId }: ApprovalPage) => `p.org_id = $3 and c.deleted_at is null
  and ${chatId === undefined ? OWN_OR_ASKED : READ_OR_ASKED}
  and ($4::uuid[] is null or ${AGENT} = any($4)) and ${chatId === undefined ? '$5::uuid is null' : OF_CHAT}
  and ($6::uuid is null or ${AGENT} = $6)
  and ${status === 'pending' ? "p.status = 'pending'" : '($8::text is null or p.status = $8)'}`;

const OF_CHAT = 'p.chat_id in (select $5::uuid union all select s.id from chats s where s.root_chat_id = $5)';

function nameOf({ status, chatId }: ApprovalPage): string {
  const suffix = chatId === undefined ? '' : '-of-chat';
  return `${status === 'pending' ? 'list-pending-approvals' : 'list-approvals'}${suffix}`;
}

/** Returns an approval that the reader may see; `not_found` when there is none. */
export async function getApproval(
  database: TenantDatabase,
  reader: ApprovalReader,
  id: string,
): Promise<EditableApproval> {
  const approval = await findApproval(database, reader, id);
  if (approval === undefined) throw notFound('Approval');
  return approval;
}

/** Returns an approval that the reader may see; undefined when there is none. */
export async function findApproval(
  { tenant }: TenantDatabase,
  reader: ApprovalReader,
  id: string,
): Promise<EditableApproval | undefined> {
  const [approval] = await tenant.query<Row<EditableApproval>>(reader.orgId, {
    name: 'get-approval',
    text: `select ${APPROVAL}, p.parameters from approvals p ${JOINS}
      where p.id = $3 and c.deleted_at is null and (${IS_READER} or ${isAskedOf('$5')} or ${isEscalatedTo('$5')})
        and ($4::uuid[] is null or ${AGENT} = any($4))`,
    values: [reader.userId, reader.seesShared, id, reader.allowedAgentIds ?? null, rolesAnsweredBy(reader.role)],
  });
  return approval && ofRow(approval);
}
