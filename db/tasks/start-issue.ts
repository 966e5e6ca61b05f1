import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { cut } from '../../domain/core/text.ts';
import { describeIssueTask } from '../../domain/issues.ts';
import type { Membership, OrgLimits } from '../../domain/orgs.ts';
import { isAgentHidden } from '../../domain/permissions/restrict.ts';
import { type Policy, policyAllows } from '../../domain/permissions/policy.ts';
import { addChat } from '../chats/create-chat.ts';
import type { Database } from '../core/database.ts';
import { withOrgTransaction } from '../core/transactions.ts';
import type { Issue } from '../issues/issue.entity.ts';
import { lastComments, lockIssue, setIssueStatus } from '../issues/write-issues.ts';
import { beginTasks, insertTask, MAX_TASKS_OF_CHAT, type TaskLimits } from './add-tasks.ts';
import type { Task, TaskActor } from './tasks.ts';

/**
 * Starts the agent of an issue: adds a task with the text of the issue, in the chat of the user's last one or in a new
 * chat of the project, moves the issue to `in_progress`, and begins. `conflict` when the issue has no agent, and while
 * an agent's task of the issue is open; `not_found` for an unknown issue.
 */
export async function startIssue(
  database: Database,
  actor: TaskActor,
  issueId: string,
  limits: StartLimits,
): Promise<Task> {
  const id = uuidv7();
  const begun = await withOrgTransaction(database, actor.orgId, async (em) => {
    // Two starts wait for each other here.
    const issue = await lockIssue(em, issueId);
    const agentId = await agentOf(em, actor.policy, issue);
    await requireIdle(em, issue);
    const chatId = (await findChat(em, actor, issue, agentId)) ?? (await makeChat(em, actor, issue, agentId, limits));
    const { areForeign, ...task } = await taskOf(em, issue, { id, agentId });
    const isForeign = issue.isForeign || areForeign;
    await insertTask(em, actor, { chatId, tasks: [task], issueId, isForeign, limits });
    await setIssueStatus(em, actor, issue, 'in_progress');
    return task;
  });
  const started = await beginTasks(database, actor, [begun], limits);
  if (started === undefined) throw notFound('Task');
  return started;
}

type StartLimits = TaskLimits & Pick<OrgLimits, 'chats'>;

async function agentOf(em: EntityManager, policy: Policy, { assignedAgentId }: Issue): Promise<string> {
  for (const key of ['tasks.manage', 'projects.view'] as const)
    if (!policyAllows(policy, key))
      throw new AppError('forbidden', `Starting an issue also requires the permission ${key}`);
  if (assignedAgentId === null) throw new AppError('conflict', 'The issue has no agent; assign one');
  if (isAgentHidden(policy, assignedAgentId))
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
  { chats: maxChats }: StartLimits,
): Promise<string> {
  const chat = { agentId, projectId, title: cut(`#${number} ${title}`, 200), maxChats };
  return addChat(em, owner, { ...chat, origin: 'issue' });
}

async function taskOf(
  em: EntityManager,
  issue: Issue,
  { id, agentId: assignedAgentId }: { readonly id: string; readonly agentId: string },
) {
  const { comments, total, areForeign } = await lastComments(em, issue);
  // The end of the id is random, and was made a moment ago.
  const { number, title, description, priority, labels } = issue;
  const described = { number, title, description, priority, labels, comments, commentCount: total };
  const texts = describeIssueTask(described, id.slice(-12));
  return { id, ...texts, assignedAgentId, priority, parentTaskId: null, dependsOn: [], areForeign };
}
