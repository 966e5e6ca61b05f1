import type { z } from 'zod';
import {
  addComment,
  deleteComment,
  getComment,
  type IssueComment,
  listComments,
  updateComment,
} from '../../db/issues/comments.ts';
import { createIssue, deleteIssue, updateIssue } from '../../db/issues/write-issues.ts';
import { getIssue, listIssues, type ShownIssue } from '../../db/issues/read-issues.ts';
import { present, toFields } from '../../domain/core/record-names.ts';
import { hideAgents } from '../../domain/permissions/restrict.ts';
import type { OrgCaller } from '../context/api-context.ts';
import {
  commentChangesSchema,
  commentSchema,
  issueChangesSchema,
  issueQuery,
  issueSchema,
  newCommentSchema,
  newIssueSchema,
} from './schema.ts';
import { startIssue } from '../../db/tasks/start-issue.ts';
import { defineRoute } from '../http/define-route.ts';
import { presentTask, taskSchema } from '../tasks/schema.ts';
import { isAdministrator } from '../access/policies.ts';
import { pageQuery } from '../http/fields.ts';

/** Returns an issue as the API shows it, without the agents that the caller may not use. */
function presentIssue({ policy }: OrgCaller, issue: ShownIssue): z.input<typeof issueSchema> {
  return present(issueSchema, hideAgents(policy, issue));
}

/** Returns a comment in the same way. */
function presentComment({ policy }: OrgCaller, comment: IssueComment): z.input<typeof commentSchema> {
  return present(commentSchema, hideAgents(policy, comment));
}

const startIssueRoute = defineRoute({
  method: 'post',
  path: '/api/issues/{issue_id}/start',
  resource: 'issues',
  action: 'start',
  access: 'issues.manage',
  audit: false,
  tag: 'Issues',
  operationId: 'startIssue',
  summary: 'Start the agent of an issue working on it',
  description:
    'Returns the task. The agent works on it in a chat of yours within the project, with your rights and limits. The issue becomes `in_progress`. When the task ends, its result is posted as a comment of the agent, and the issue becomes `in_review` if the task completed, otherwise `todo`. Also requires `tasks.manage`. 409 when the issue has no agent, or while an agent has an open task for it.',
  errors: [409],
  response: { status: 201, schema: taskSchema, description: 'The task' },
  handler: async ({ caller, params: { issue_id: id } }, { database, orgLimits }) =>
    presentTask(caller, await startIssue(database, caller, id, orgLimits)),
});

const view = { resource: 'issues', access: 'issues.view', tag: 'Issues' } as const;
const manage = { resource: 'issues', access: 'issues.manage', tag: 'Issues' } as const;
const commentsPath = '/api/issues/{issue_id}/comments';

export const issueRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/issues',
    operationId: 'listIssues',
    summary: 'List the issues of the organization or of a project, newest first',
    description: 'Issues must match all given filters. Those of deleted projects are left out.',
    query: issueQuery,
    response: { status: 200, schema: issueSchema.array() },
    handler: async ({ caller, query, answerPage }, { database }) => {
      const { project_id: projectId, assigned_agent_id: assignedAgentId, assigned_user_id: assignedUserId } = query;
      const { status, label, q, ...page } = query;
      const filter = { projectId, status, label, assignedAgentId, assignedUserId, q };
      return answerPage(await listIssues(database, caller, filter, page)).map((issue) => presentIssue(caller, issue));
    },
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/issues/{issue_id}',
    operationId: 'getIssue',
    summary: 'Get an issue',
    response: { status: 200, schema: issueSchema },
    handler: async ({ caller, params: { issue_id: id } }, { database }) =>
      presentIssue(caller, await getIssue(database, caller.orgId, id)),
  }),
  defineRoute({
    ...manage,
    method: 'post',
    path: '/api/issues',
    operationId: 'createIssue',
    summary: 'Add an issue to a project; it starts in the backlog',
    body: newIssueSchema,
    errors: [404, 409],
    response: { status: 201, schema: issueSchema },
    handler: async ({ caller, body }, { database, orgLimits: limits }) =>
      presentIssue(caller, await createIssue(database, caller, toFields(newIssueSchema, body), { limits })),
  }),
  defineRoute({
    ...manage,
    method: 'patch',
    path: '/api/issues/{issue_id}',
    operationId: 'updateIssue',
    summary: 'Change an issue; only the given fields change',
    description:
      'An assigned agent that your permission groups do not let you use is shown as null: sending null keeps it, and sending another agent replaces it.',
    body: issueChangesSchema,
    errors: [409],
    response: { status: 200, schema: issueSchema },
    handler: async (
      { caller, params: { issue_id: id }, body, expectedVersions: expected },
      { database, orgLimits },
    ) => {
      const changes = toFields(issueChangesSchema, body);
      return presentIssue(caller, await updateIssue(database, caller, { id, expected }, changes, orgLimits));
    },
  }),
  defineRoute({
    ...manage,
    method: 'delete',
    path: '/api/issues/{issue_id}',
    operationId: 'deleteIssue',
    summary: 'Delete an issue permanently, with its comments',
    response: { status: 204 },
    handler: async ({ caller, params: { issue_id: id }, expectedVersions: expected }, { database }) =>
      deleteIssue(database, caller, { id, expected }),
  }),
  defineRoute({
    ...view,
    resource: 'issue_comments',
    method: 'get',
    path: commentsPath,
    operationId: 'listIssueComments',
    summary: 'List the comments on an issue, oldest first',
    query: pageQuery,
    response: { status: 200, schema: commentSchema.array() },
    handler: async ({ caller, params: { issue_id: id }, query, answerPage }, { database }) =>
      answerPage(await listComments(database, caller.orgId, id, query)).map((comment) =>
        presentComment(caller, comment),
      ),
  }),
  defineRoute({
    ...manage,
    resource: 'issue_comments',
    method: 'post',
    path: commentsPath,
    operationId: 'createIssueComment',
    summary: 'Comment on an issue',
    body: newCommentSchema,
    errors: [409],
    response: { status: 201, schema: commentSchema },
    handler: async ({ caller, params: { issue_id: issueId }, body: { content } }, { database, orgLimits: limits }) =>
      presentComment(caller, await addComment(database, caller, { issueId, content }, { limits })),
  }),
  defineRoute({
    ...manage,
    resource: 'issue_comments',
    method: 'patch',
    path: `${commentsPath}/{comment_id}`,
    operationId: 'updateIssueComment',
    summary: 'Change a comment; only its author can',
    description: 'If the comment exists at the code host of the issue, it is changed there too.',
    body: commentChangesSchema,
    errors: [409],
    response: { status: 200, schema: commentSchema },
    handler: async ({ caller, params, body: { content } }, { database, orgLimits }) => {
      const ids = { issueId: params.issue_id, commentId: params.comment_id };
      const change = async () =>
        content === undefined
          ? getComment(database, caller.orgId, ids)
          : updateComment(database, caller, { ...ids, content }, orgLimits);
      return presentComment(caller, await change());
    },
  }),
  defineRoute({
    ...manage,
    resource: 'issue_comments',
    method: 'delete',
    path: `${commentsPath}/{comment_id}`,
    operationId: 'deleteIssueComment',
    summary: 'Delete a comment; only its author and administrators can',
    response: { status: 204 },
    handler: async ({ caller, params: { issue_id: issueId, comment_id: commentId } }, { database }) =>
      deleteComment(database, caller, { issueId, commentId }, { mayDeleteOthers: isAdministrator(caller) }),
  }),
  startIssueRoute,
];
