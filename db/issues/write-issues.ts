import type { EntityManager, RequiredEntityData } from '@mikro-orm/postgresql';
import { isDeepStrictEqual } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import {
  ISSUE_DEFAULTS,
  type IssueStatus,
  MAX_DESCRIBED_COMMENTS,
  type DescribedComment,
} from '../../domain/issues.ts';
import { queuePush } from '../issue-pushes.ts';
import { type Actor, noteInLog } from '../project-logs.ts';
import { lockRecord, userName } from '../records/records.ts';
import { Issue } from './issue.entity.ts';
import { limitReached, notFound } from '../../domain/core/app-error.ts';
import { type ExpectedVersions, requireVersion } from '../../domain/resources.ts';
import type { OrgLimits } from '../../domain/orgs.ts';
import { allowAssigned } from '../../domain/permissions/restrict.ts';
import type { LogChanges } from '../../domain/projects.ts';
import { requireAgent } from '../agents/agents.ts';
import type { Database } from '../core/database.ts';
import { withOrgTransaction } from '../core/transactions.ts';
import { takeIssueNumber } from '../projects/projects.ts';
import { vectorOf } from '../search/search-words.ts';
import { requireRoomForWork } from '../work-usage.ts';
import { getIssue, type IssueActor, issueKey, type ShownIssue } from './read-issues.ts';

/** The fields of an issue that a caller sets. */
type IssueFields = Pick<
  Issue,
  'title' | 'description' | 'status' | 'priority' | 'labels' | 'assignedAgentId' | 'assignedUserId'
>;

/** The changeable fields of an issue. */
export type IssueChanges = { readonly [K in keyof IssueFields]?: IssueFields[K] | undefined } & {
  /** Whether what is written may repeat what was read from outside. */
  readonly isForeign?: boolean | undefined;
};

/** An issue that is added, in the backlog: fields that are not given get their defaults. */
export type NewIssue = Omit<IssueChanges, 'status' | 'title'> & Pick<Issue, 'title' | 'projectId'>;

/** An issue, and the versions of it that a change is meant for. */
interface IssueRef {
  readonly id: string;
  readonly expected?: ExpectedVersions;
}

/** The issues that a project may have, so that looking through all of them stays fast. */
export const MAX_ISSUES = 50_000;

const THING = 'Issue';

/**
 * Adds an issue, under the caller's id or a new one; the same id again adds nothing. `not_found` when there is no such
 * project, or when it refers to a member that does not exist, or to an agent that does not or that the actor may not
 * use; `conflict` at a limit.
 */
export async function createIssue(
  database: Database,
  actor: IssueActor,
  { projectId, isForeign = false, ...given }: NewIssue,
  { limits, id = uuidv7() }: { readonly limits: OrgLimits; readonly id?: string },
): Promise<ShownIssue> {
  const { orgId, userId, agentId = null } = actor;
  const fields = { ...ISSUE_DEFAULTS, ...setOf(given) };
  await withOrgTransaction(database, orgId, async (em) => {
    const isStored = async () => (await em.count(Issue, { id })) > 0;
    // A repetition of what was stored is not refused for what has changed since, and takes no further number.
    if (await isStored()) return;
    const number = await takeIssueNumber(em, projectId);
    // Two tries of one call have waited for each other at the number.
    if (await isStored()) return;
    await requireRoom(em, projectId);
    await requireRoomForWork(em, orgId, limits);
    await checkAssignees(em, orgId, allowAssigned(actor.policy, fields));
    const data = { ...fields, id, orgId, projectId, number, status: 'backlog', userId, agentId, isForeign };
    const issue = em.create(Issue, data as RequiredEntityData<Issue>, { persist: true });
    await em.flush();
    await enterLabels(em, issue);
    await enterWords(em, issue);
    await note(em, actor, issue, 'created');
  });
  return getIssue(database, orgId, id);
}

function setOf<T extends object>(fields: T) {
  const set = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as { [K in keyof T]: Exclude<T[K], undefined> };
}

async function requireRoom(em: EntityManager, projectId: string): Promise<void> {
  if ((await countIssues(em, projectId)) >= MAX_ISSUES) throw limitReached('issues of one project', MAX_ISSUES);
}

/** Returns how many issues a project has, up to as many as it may have. */
export async function countIssues(em: EntityManager, projectId: string): Promise<number> {
  const [row] = await em.execute<{ total: string }[]>(
    'select count(*) as total from (select from issues where project_id = ? limit ?) counted',
    [projectId, MAX_ISSUES],
  );
  return Number(row?.total);
}

/**
 * Changes the given fields only; `not_found` when there is no such issue, or no agent or member that it is to refer to,
 * `conflict` when it would become longer and the organization has no room, `precondition_failed` when it has another
 * version than is expected.
 */
export async function updateIssue(
  database: Database,
  actor: IssueActor,
  { id, expected }: IssueRef,
  changes: IssueChanges,
  limits: OrgLimits,
): Promise<ShownIssue> {
  const { isForeign = false, ...given } = changes;
  await withOrgTransaction(database, actor.orgId, async (em) => {
    const issue = await lockIssue(em, id);
    requireVersion(issue, expected);
    const fields = setOf(allowAssigned(actor.policy, given, issue.assignedAgentId));
    const before = fieldsOf(issue);
    await checkAssignees(em, actor.orgId, fields, before);
    em.assign(issue, fields, { mergeObjectProperties: false });
    const changed = changesOf(before, fieldsOf(issue));
    if (Object.keys(changed).length === 0) return;
    if (lengthOf(issue) > lengthOf(before)) await requireRoomForWork(em, actor.orgId, limits);
    if (isForeign && WRITTEN.some((field) => changed[field] !== undefined)) issue.isForeign = true;
    await em.flush();
    if (changed['labels'] !== undefined) await enterLabels(em, issue);
    if (changed['title'] !== undefined || changed['description'] !== undefined) await enterWords(em, issue);
    await note(em, actor, issue, 'updated', changed);
    if (PUSHED.some((field) => changed[field] !== undefined)) await queuePush(em, { issueId: id });
  });
  return getIssue(database, actor.orgId, id);
}

/** The texts of an issue. */
const WRITTEN = ['title', 'description', 'labels'] as const;

function lengthOf({ title, description, labels }: IssueFields): number {
  return [title, description, ...labels].join('').length;
}

/** Deletes an issue with its comments; `not_found` when there is none. */
export async function deleteIssue(database: Database, actor: Actor, { id, expected }: IssueRef): Promise<void> {
  await withOrgTransaction(database, actor.orgId, async (em) => {
    const issue = await lockIssue(em, id);
    requireVersion(issue, expected);
    await em.nativeDelete(Issue, { id });
    await note(em, actor, issue, 'deleted');
  });
}

/** Returns an issue of a live project, locked until the transaction has ended; `not_found` when there is none. */
export async function lockIssue(em: EntityManager, id: string): Promise<Issue> {
  const issue = await lockRecord(em, Issue, THING, { id });
  const live = await em.execute<object[]>('select id from projects where id = ? and deleted_at is null', [
    issue.projectId,
  ]);
  if (live.length === 0) throw notFound(THING);
  return issue;
}

/** Logs a change of an issue in its project. */
async function note(
  em: EntityManager,
  actor: Actor,
  { id, projectId, title }: Pick<Issue, 'id' | 'projectId' | 'title'>,
  action: 'created' | 'updated' | 'deleted',
  changes: LogChanges = {},
): Promise<void> {
  await noteInLog(em, actor, { projectId, action, recordType: 'issue', recordId: id, title, changes });
}

/** The changes of a synced issue that are sent to its code host. */
const PUSHED = ['title', 'status', 'labels'] as const;

const LOGGED_NAMES = {
  title: 'title',
  status: 'status',
  priority: 'priority',
  labels: 'labels',
  assignedAgentId: 'assigned_agent_id',
  assignedUserId: 'assigned_user_id',
} as const;

function fieldsOf(issue: Issue): IssueFields {
  const { title, description, status, priority, labels, assignedAgentId, assignedUserId } = issue;
  return { title, description, status, priority, labels, assignedAgentId, assignedUserId };
}

// Of a description the log says only that it was changed.
function changesOf(before: IssueFields, after: IssueFields): Record<string, LogChanges[string]> {
  const shown = (Object.keys(LOGGED_NAMES) as (keyof typeof LOGGED_NAMES)[])
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .map((field) => [LOGGED_NAMES[field], { from: before[field], to: after[field] }] as const);
  const hidden = before.description === after.description ? [] : [['description', { from: null, to: null }] as const];
  return Object.fromEntries([...shown, ...hidden]);
}

type Assignees = Pick<IssueChanges, 'assignedAgentId' | 'assignedUserId'>;

// Who is assigned stays so after they are gone, and an issue may be sent back as it is.
async function checkAssignees(
  em: EntityManager,
  orgId: string,
  { assignedAgentId, assignedUserId }: Assignees,
  present: Assignees = {},
): Promise<void> {
  if (typeof assignedAgentId === 'string' && assignedAgentId !== present.assignedAgentId)
    await requireAgent(em, assignedAgentId);
  if (typeof assignedUserId === 'string' && assignedUserId !== present.assignedUserId) {
    const members = await em.execute<object[]>('select user_id from memberships where org_id = ? and user_id = ?', [
      orgId,
      assignedUserId,
    ]);
    if (members.length === 0) throw notFound('Member');
  }
}

async function enterLabels(em: EntityManager, { id, orgId, labels }: Issue): Promise<void> {
  await em.execute('delete from issue_labels where issue_id = ?', [id]);
  await em.execute(
    `insert into issue_labels (issue_id, label, org_id)
      select ?::uuid, label, ?::uuid from jsonb_array_elements_text(?::jsonb) as label`,
    [id, orgId, JSON.stringify(labels)],
  );
}

async function enterWords(em: EntityManager, { id, orgId, title, description }: Issue): Promise<void> {
  await em.execute(
    `insert into issue_words (issue_id, org_id, words) values (?, ?, ?::tsvector)
      on conflict (issue_id) do update set words = excluded.words`,
    [id, orgId, vectorOf(`${title}\n${description}`, issueKey(orgId))],
  );
}

/** The last comments of an issue, and whether one of them may repeat text from outside. */
interface LastComments {
  /** Newest first, as many as fit. */
  readonly comments: readonly DescribedComment[];
  readonly total: number;
  readonly areForeign: boolean;
}

/** The characters of a comment that are read: more than an agent gets. */
const MAX_READ = 5_000;

/** Returns the newest comments on an issue, for its agent. */
export async function lastComments(em: EntityManager, { id }: Issue): Promise<LastComments> {
  const rows = await em.execute<(DescribedComment & { isForeign: boolean; total: string })[]>(
    `select left(k.content, ?) as content, k.is_foreign as "isForeign",
        coalesce(a.name, ${userName('u')}) as author,
        (select count(*) from issue_comments where issue_id = k.issue_id) as total
      from issue_comments k left join users u on u.id = k.user_id left join agents a on a.id = k.agent_id
      where k.issue_id = ? order by k.id desc limit ?`,
    [MAX_READ, id, MAX_DESCRIBED_COMMENTS],
  );
  return {
    comments: rows.map(({ author, content }) => ({ author, content })),
    total: Number(rows[0]?.total ?? 0),
    areForeign: rows.some(({ isForeign }) => isForeign),
  };
}

/** Gives a locked issue another status, records it in the log of the project, and queues it for its code host. */
export async function setIssueStatus(
  em: EntityManager,
  actor: Actor,
  issue: Issue,
  status: IssueStatus,
): Promise<void> {
  const { id: recordId, projectId, title, status: from } = issue;
  if (from === status) return;
  issue.status = status;
  await em.flush();
  const entry = { projectId, action: 'updated', recordType: 'issue', recordId, title } as const;
  await noteInLog(em, actor, { ...entry, changes: { status: { from, to: status } } });
  await queuePush(em, { issueId: recordId });
}
