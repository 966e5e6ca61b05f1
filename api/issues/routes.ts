import {
  addComment,
  createIssue,
  deleteComment,
  deleteIssue,
  getComment,
  getIssue,
  listComments,
  listIssues,
  updateIssue,
} from '../../db/issues/index.ts';
import { present, presenter, toFields } from '../../domain/core/record-names.ts';
import { isAdministrator } from '../access/is-administrator.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { idParams } from '../resources/id-fields.ts';
import {
  commentSchema,
  issueChangesSchema,
  issueQuery,
  issueSchema,
  newCommentSchema,
  newIssueSchema,
} from './schema.ts';

const view = { resource: 'issues', access: 'issues.view', tag: 'Issues' } as const;
const manage = { resource: 'issues', access: 'issues.manage', tag: 'Issues' } as const;
const params = idParams('issue_id');
const commentsPath = '/api/issues/{issue_id}/comments';

export const issueRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/issues',
    operationId: 'listIssues',
    summary: 'The issues of the organization, or of a project; newest first',
    description: 'An issue has to match all given filters. Those of deleted projects are left out.',
    query: issueQuery,
    response: { status: 200, schema: issueSchema.array() },
    handler: async ({ caller, query, answerPage }, { database }) => {
      const { project_id: projectId, assigned_agent_id: assignedAgentId, assigned_user_id: assignedUserId } = query;
      const { status, label, q, ...page } = query;
      const filter = { projectId, status, label, assignedAgentId, assignedUserId, q };
      return answerPage(await listIssues(database, caller.orgId, filter, page)).map(presenter(issueSchema));
    },
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/issues/{issue_id}',
    operationId: 'getIssue',
    summary: 'One issue',
    params,
    response: { status: 200, schema: issueSchema },
    handler: async ({ caller, params: { issue_id: id } }, { database }) =>
      present(issueSchema, await getIssue(database, caller.orgId, id)),
  }),
  defineRoute({
    ...manage,
    method: 'post',
    path: '/api/issues',
    operationId: 'createIssue',
    summary: 'Add an issue to a project; it begins in the backlog',
    body: newIssueSchema,
    errors: [404, 409],
    response: { status: 201, schema: issueSchema },
    handler: async ({ caller, body }, { database }) => {
      const id = await createIssue(database, caller, toFields(newIssueSchema, body));
      return present(issueSchema, await getIssue(database, caller.orgId, id));
    },
  }),
  defineRoute({
    ...manage,
    method: 'patch',
    path: '/api/issues/{issue_id}',
    operationId: 'updateIssue',
    summary: 'Change an issue; only the given fields change',
    params,
    body: issueChangesSchema,
    response: { status: 200, schema: issueSchema },
    handler: async ({ caller, params: { issue_id: id }, body }, { database }) => {
      await updateIssue(database, caller, id, toFields(issueChangesSchema, body));
      return present(issueSchema, await getIssue(database, caller.orgId, id));
    },
  }),
  defineRoute({
    ...manage,
    method: 'delete',
    path: '/api/issues/{issue_id}',
    operationId: 'deleteIssue',
    summary: 'Delete an issue permanently, with its comments',
    params,
    response: { status: 204 },
    handler: async ({ caller, params: { issue_id: id } }, { database }) => deleteIssue(database, caller, id),
  }),
  defineRoute({
    ...view,
    resource: 'issue_comments',
    method: 'get',
    path: commentsPath,
    operationId: 'listIssueComments',
    summary: 'What was said about an issue, oldest first',
    params,
    query: pageQuery,
    response: { status: 200, schema: commentSchema.array() },
    handler: async ({ caller, params: { issue_id: id }, query, answerPage }, { database }) =>
      answerPage(await listComments(database, caller.orgId, id, query)).map(presenter(commentSchema)),
  }),
  defineRoute({
    ...manage,
    resource: 'issue_comments',
    method: 'post',
    path: commentsPath,
    operationId: 'createIssueComment',
    summary: 'Say something about an issue',
    params,
    body: newCommentSchema,
    response: { status: 201, schema: commentSchema },
    handler: async ({ caller, params: { issue_id: issueId }, body: { content } }, { database }) => {
      const commentId = await addComment(database, caller, { issueId, content });
      return present(commentSchema, await getComment(database, caller.orgId, { issueId, commentId }));
    },
  }),
  defineRoute({
    ...manage,
    resource: 'issue_comments',
    method: 'delete',
    path: `${commentsPath}/{comment_id}`,
    operationId: 'deleteIssueComment',
    summary: 'Delete a comment; its author and administrators can',
    params: idParams('issue_id', 'comment_id'),
    response: { status: 204 },
    handler: async ({ caller, params: { issue_id: issueId, comment_id: commentId } }, { database }) =>
      deleteComment(database, caller, { issueId, commentId }, { mayDeleteOthers: isAdministrator(caller) }),
  }),
];
