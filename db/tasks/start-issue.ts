import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { cut } from '../../domain/core/text.ts';
import { describeIssueTask } from '../../domain/issues/index.ts';
import { type Membership, type OrgLimits, orgLimitReached } from '../../domain/orgs/index.ts';
import { addChat, hasRoomForMessages } from '../chats/index.ts';
import { type Database, withOrgTransaction } from '../core/index.ts';
import { type Issue, lastComments, lockIssue, setIssueStatus } from '../issues/index.ts';
import { attemptStatements, firstPosition, tasksOf } from '../turns/index.ts';
import { requireRoomForWork } from '../work-usage/index.ts';
import { MAX_TASKS_OF_CHAT, type TaskLimits } from './create-task.ts';
import { readOwnTask, type Task } from './tasks.ts';

/** Bounds on what somebody starts. */
interface StartBounds {
  /** The agents that they may use; absent when all are allowed. */
  readonly allowedAgentIds?: readonly string[] | undefined;
  readonly limits: TaskLimits & Pick<OrgLimits, 'chats'>;
}

/**
 * Has the agent of an issue work on it: adds a task with the text of the issue, in the chat of the user's last one or
 * in a new chat of the project, moves the issue to `in_progress`, and begins. `conflict` when the issue has no agent,
 * and while an agent's task of the issue is open; `not_found` for an unknown issue.
 */
export async function startIssue(
  database: Database,
  owner: Membership,
  issueId: string,
  bounds: StartBounds,
): Promise<Task> {
  const id = uuidv7();
  await withOrgTransaction(database, owner.orgId, async (em) => {
    // Two starts wait for each other here.
    const issue = await lockIssue(em, issueId);
    const agentId = await agentOf(em, issue, bounds);
    await requireIdle(em, issue);
    await requireBytes(em, owner, bounds);
    const chatId = (await findChat(em, owner, issue, agentId)) ?? (await makeChat(em, owner, issue, agentId, bounds));
    await insertTask(em, owner, { id, chatId, agentId, issue });
    await setIssueStatus(em, owner, issue, 'in_progress');
  });
  const [begin, announce] = attemptStatements(id, bounds.limits);
  const [, , [task]] = await database.tenant.series(owner.orgId, [begin, announce, readOwnTask(owner, id)]);
  await database.follow([{ dueWork: tasksOf(owner.orgId, [{ taskId: id }]) }]);
  if (task === undefined) throw notFound('Task');
  return task;
}

async function agentOf(
  em: EntityManager,
  { assignedAgentId }: Issue,
  { allowedAgentIds }: StartBounds,
): Promise<string> {
  if (assignedAgentId === null) throw new AppError('conflict', 'The issue has no agent; assign one');
  if (allowedAgentIds?.includes(assignedAgentId) === false)
    throw new AppError('forbidden', 'Your permission groups do not let you use the agent of this issue');
  const agents = await em.execute<object[]>('select id from agents where id = ? and deleted_at is null', [
    assignedAgentId,
  ]);
  if (agents.length === 0) throw new AppError('conflict', 'The agent of the issue was deleted; assign another one');
  return assignedAgentId;
}

async function requireIdle(em: EntityManager, { id }: Issue): Promise<void> {
  const open = await em.execute<object[]>(
    `select id from tasks where issue_id = ? and assigned_agent_id is not null and status in ('pending', 'in_progress')
      limit 1`,
    [id],
  );
  if (open.length > 0) throw new AppError('conflict', 'An agent is working on the issue already, or is about to');
}

async function requireBytes(em: EntityManager, { orgId }: Membership, { limits }: StartBounds): Promise<void> {
  const [row] = await em.execute<{ hasBytes: boolean }[]>(`select ${hasRoomForMessages('?', '?')} as "hasBytes"`, [
    orgId,
    limits.messageBytes,
  ]);
  if (row?.hasBytes !== true) throw orgLimitReached('messageBytes', limits);
  await requireRoomForWork(em, orgId, limits);
}

// The chat in which the same user has had the same agent work on the issue before.
async function findChat(
  em: EntityManager,
  { userId }: Membership,
  { id, projectId }: Issue,
  agentId: string,
): Promise<string | undefined> {
  const [chat] = await em.execute<{ id: string }[]>(
    `select c.id from tasks k join chats c on c.id = k.chat_id
      where k.issue_id = ? and c.user_id = ? and c.agent_id = ? and c.project_id = ? and c.parent_chat_id is null
        and c.deleted_at is null
        and (select count(*) from (select from tasks where chat_id = c.id limit ?) there) < ?
      order by k.id desc limit 1`,
    [id, userId, agentId, projectId, MAX_TASKS_OF_CHAT, MAX_TASKS_OF_CHAT],
  );
  return chat?.id;
}

async function makeChat(
  em: EntityManager,
  owner: Membership,
  { number, title, projectId }: Issue,
  agentId: string,
  { limits }: StartBounds,
): Promise<string> {
  const chat = { agentId, projectId, title: cut(`#${number} ${title}`, 200), maxChats: limits.chats };
  return addChat(em, owner, { ...chat, origin: 'issue' });
}

interface IssueTask {
  readonly id: string;
  readonly chatId: string;
  readonly agentId: string;
  readonly issue: Issue;
}

async function insertTask(
  em: EntityManager,
  owner: Membership,
  { id, chatId, agentId, issue }: IssueTask,
): Promise<void> {
  const { comments, total, areForeign } = await lastComments(em, issue);
  // The end of the id is random, and was made a moment ago.
  const { number, title: name, description: text, priority, labels } = issue;
  const told = { number, title: name, description: text, priority, labels, comments, commentCount: total };
  const { title, description } = describeIssueTask(told, id.slice(-12));
  await em.execute(
    `insert into tasks (id, org_id, chat_id, created_by, title, description, assigned_agent_id, priority, issue_id, is_foreign,
        position, due_at)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ${firstPosition('?')}, now() + interval '1 second')`,
    [
      id,
      owner.orgId,
      chatId,
      owner.userId,
      title,
      description,
      agentId,
      priority,
      issue.id,
      issue.isForeign || areForeign,
      id,
    ],
  );
}
