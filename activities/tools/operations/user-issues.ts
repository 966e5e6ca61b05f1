import type { Listed } from '../../../db/core/page.ts';
import { addComment, type IssueComment, listComments } from '../../../db/issues/comments.ts';
import { createIssue, type IssueChanges, type NewIssue, updateIssue } from '../../../db/issues/write-issues.ts';
import {
  getIssue,
  type IssueActor,
  type IssueFilter,
  listIssues,
  type ShownIssue,
} from '../../../db/issues/read-issues.ts';
import { findProjectOfChat } from '../../../db/chats/chat.ts';
import { listProjects } from '../../../db/projects/projects.ts';
import { hideAgents } from '../../../domain/permissions/restrict.ts';
import { policyAllows } from '../../../domain/permissions/policy.ts';
import { auditCall, type CallInChat, runOperation, memberOf, type RecordDeps } from './agent-call.ts';

/**
 * The issues that the user of a call may see and change, by the operations of the routes. Throws `ToolFailure` with a
 * message for the model.
 */
export interface UserIssues {
  /** Returns the project of the chat that the call works for; undefined when it is in none. */
  projectOfChat(): Promise<string | undefined>;
  /** Returns the names of the projects that the user may see, at most so many. */
  listProjects(limit: number): Promise<readonly { readonly id: string; readonly name: string }[]>;
  list(filter: IssueFilter, limit: number): Promise<Listed<ShownIssue>>;
  get(id: string): Promise<ShownIssue>;
  listComments(issueId: string, limit: number): Promise<Listed<IssueComment>>;
  /** Adds an issue under an id; the same id again adds nothing and returns the stored one. */
  create(id: string, fields: NewIssue): Promise<ShownIssue>;
  /** Changes the given fields only. */
  update(id: string, changes: IssueChanges): Promise<ShownIssue>;
  /** Adds a comment under an id; the same id again adds nothing. */
  comment(id: string, comment: { issueId: string; content: string; isForeign: boolean }): Promise<void>;
}

/** Returns the issues that a user may see and change for a tool, until the signal aborts. */
export function userIssues(
  { database, orgLimits: limits }: RecordDeps,
  call: CallInChat,
  signal: AbortSignal,
): UserIssues {
  const { orgId, policy, chatId } = call;
  const run = async <T>(work: (actor: IssueActor) => Promise<T>) =>
    runOperation(signal, async () => work(memberOf(call)));
  const shown = <T extends object>(record: T) => hideAgents(policy, record);
  return {
    projectOfChat: async () => run(async () => findProjectOfChat(database, orgId, chatId)),
    listProjects: async (limit) => {
      if (policy === null || !policyAllows(policy, 'projects.view')) return [];
      const { items } = await run(async () => listProjects(database, orgId, { deleted: false, limit }));
      return items.map(({ id, name }) => ({ id, name }));
    },
    list: async (filter, limit) =>
      run(async (actor) => {
        const listed = await listIssues(database, actor, filter, { limit });
        return { ...listed, items: listed.items.map(shown) };
      }),
    get: async (id) => run(async () => shown(await getIssue(database, orgId, id))),
    listComments: async (issueId, limit) =>
      run(async () => {
        const listed = await listComments(database, orgId, issueId, { limit });
        return { ...listed, items: listed.items.map(shown) };
      }),
    create: async (id, given) =>
      run(async (actor) => {
        const issue = await createIssue(database, actor, given, { limits, id });
        await auditCall(database, call, { action: 'issues.create', recordId: id, given });
        return shown(issue);
      }),
    update: async (id, given) =>
      run(async (actor) => {
        const issue = await updateIssue(database, actor, { id }, given, limits);
        await auditCall(database, call, { action: 'issues.update', recordId: id, given });
        return shown(issue);
      }),
    comment: async (id, { issueId, content, isForeign }) =>
      run(async (actor) => {
        await addComment(database, actor, { issueId, content, isForeign }, { limits, id });
        const change = {
          action: 'issue_comments.create',
          recordId: id,
          given: { content },
          relatedIds: [issueId],
        } as const;
        await auditCall(database, call, change);
      }),
  };
}
