import { findProjectOfChat } from '../../../db/chats/index.ts';
import type { Database, Listed } from '../../../db/core/index.ts';
import {
  addComment,
  createIssue,
  getIssue,
  type IssueChanges,
  type IssueComment,
  listComments,
  listIssues,
  type ShownIssue,
  updateIssue,
} from '../../../db/issues/index.ts';
import { listProjects } from '../../../db/projects/index.ts';
import { notFound } from '../../../domain/core/app-error.ts';
import type { OrgLimits } from '../../../domain/orgs/index.ts';
import { allowedIds, hideAgents, isAgentHidden, type Policy, policyAllows } from '../../../domain/permissions/index.ts';
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

interface IssueDeps {
  readonly database: Database;
  readonly orgLimits: OrgLimits;
}

/** Returns the issues that a user may see and change for a tool, until the signal aborts. */
export function userIssues(
  { database, orgLimits: limits }: IssueDeps,
  scope: IssueScope,
  signal: AbortSignal,
): UserIssues {
  const { orgId, userId, agentId, policy, chatId } = scope;
  const actor = { orgId, userId, agentId };
  const run = async <T>(work: () => Promise<T>) => inToolTerms(() => retryWhileDatabaseUnavailable(signal, work));
  const read = async (id: string) => hideAgents(policy, await getIssue(database, orgId, id));
  return {
    projectOfChat: async () => run(async () => findProjectOfChat(database, orgId, chatId)),
    listProjects: async (limit) => {
      if (policy === null || !policyAllows(policy, 'projects.view')) return [];
      const { items } = await run(async () => listProjects(database, orgId, { deleted: false, limit }));
      return items.map(({ id, name }) => ({ id, name }));
    },
    list: async (filter, limit) =>
      run(async () => {
        const { assignedAgentId } = filter;
        if (assignedAgentId !== undefined && isAgentHidden(policy, assignedAgentId)) return NONE;
        return shownIn(policy, await listIssues(database, orgId, filter, { limit }));
      }),
    get: async (id) => run(async () => read(id)),
    listComments: async (issueId, limit) =>
      run(async () => shownIn(policy, await listComments(database, orgId, issueId, { limit }))),
    create: async (id, fields) =>
      run(async () => {
        checkAgent(policy, fields);
        await createIssue(database, actor, fields, { limits, id });
        return read(id);
      }),
    update: async (id, changes) =>
      run(async () => {
        checkAgent(policy, changes);
        await updateIssue(database, actor, id, changes, { limits, visibleAgentIds: allowedIds(policy, 'agentIds') });
        return read(id);
      }),
    comment: async (id, comment) => void (await run(async () => addComment(database, actor, comment, { limits, id }))),
  };
}

const NONE: Listed<never> = { items: [], total: 0, nextOffset: undefined };

function shownIn<T extends ShownIssue | IssueComment>(policy: Policy | null, listed: Listed<T>): Listed<T> {
  return { ...listed, items: listed.items.map((each) => hideAgents(policy, each)) };
}

// An agent that the user may not use looks like one that does not exist, as at the door of the api.
function checkAgent(policy: Policy | null, { assignedAgentId }: Pick<IssueChanges, 'assignedAgentId'>): void {
  if (typeof assignedAgentId !== 'string') return;
  if (isAgentHidden(policy, assignedAgentId)) throw notFound('Agent');
}
