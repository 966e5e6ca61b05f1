import { findProjectOfChat } from '../../../db/chats/index.ts';
import type { Database } from '../../../db/core/index.ts';
import {
  addComment,
  createIssue,
  getIssue,
  type IssueChanges,
  listComments,
  listIssues,
  updateIssue,
} from '../../../db/issues/index.ts';
import { listProjects } from '../../../db/projects/index.ts';
import { notFound } from '../../../domain/core/app-error.ts';
import { permits, type Policy, policyAllows } from '../../../domain/permissions/index.ts';
import { retryWhileDatabaseUnavailable } from '../../core/retry-while-database-unavailable.ts';
import type { UserIssues } from '../context.ts';
import { inToolTerms } from './in-tool-terms.ts';

/** Who a call works for, and in which chat. */
interface IssueScope {
  readonly orgId: string;
  readonly userId: string;
  /** The agent that makes the call. */
  readonly agentId: string;
  /** The rights of the user now; null when they are no longer a member. */
  readonly policy: Policy | null;
  readonly chatId: string;
}

/** Returns the issues that a user may see and change for a tool, until the signal aborts. */
export function userIssues(database: Database, scope: IssueScope, signal: AbortSignal): UserIssues {
  const { orgId, userId, agentId, policy, chatId } = scope;
  const actor = { orgId, userId, agentId };
  const run = async <T>(work: () => Promise<T>) => inToolTerms(() => retryWhileDatabaseUnavailable(signal, work));
  return {
    projectOfChat: async () => run(async () => findProjectOfChat(database, orgId, chatId)),
    listProjects: async (limit) => {
      if (policy === null || !policyAllows(policy, 'projects.view')) return [];
      const { items } = await run(async () => listProjects(database, orgId, { deleted: false, limit }));
      return items.map(({ id, name }) => ({ id, name }));
    },
    list: async (filter, limit) => run(async () => listIssues(database, orgId, filter, { limit })),
    get: async (id) => run(async () => getIssue(database, orgId, id)),
    listComments: async (issueId, limit) => run(async () => listComments(database, orgId, issueId, { limit })),
    create: async (id, fields) =>
      run(async () => {
        checkAgent(policy, fields);
        return getIssue(database, orgId, await createIssue(database, actor, fields, id));
      }),
    update: async (id, changes) =>
      run(async () => {
        checkAgent(policy, changes);
        await updateIssue(database, actor, id, changes);
        return getIssue(database, orgId, id);
      }),
    comment: async (id, comment) => void (await run(async () => addComment(database, actor, comment, id))),
  };
}

// An agent that the user may not use looks like one that does not exist, as at the door of the api.
function checkAgent(policy: Policy | null, { assignedAgentId }: Pick<IssueChanges, 'assignedAgentId'>): void {
  if (typeof assignedAgentId !== 'string') return;
  if (policy === null || !permits(policy, 'agentIds', assignedAgentId)) throw notFound('Agent');
}
