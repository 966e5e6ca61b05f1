import { startIssue } from '../../db/tasks/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { presentTask, taskSchema } from '../tasks/index.ts';

export const startIssueRoute = defineRoute({
  method: 'post',
  path: '/api/issues/{issue_id}/start',
  resource: 'issues',
  action: 'start',
  access: 'issues.manage',
  audit: false,
  tag: 'Issues',
  operationId: 'startIssue',
  summary: 'Have the agent of an issue work on it',
  description:
    'Answers the task, which the agent works on in a chat of the project that is yours, with your rights and limits. The issue becomes `in_progress`; when the task has ended, its result is a comment of the agent, and a completed one makes the issue `in_review`, another one `todo`. Needs `tasks.manage` too. 409 when the issue has no agent, and while an agent has an open task of it.',
  params: idParams('issue_id'),
  errors: [409],
  response: { status: 201, schema: taskSchema, description: 'The task' },
  handler: async ({ caller, params: { issue_id: id } }, { database, orgLimits }) =>
    presentTask(caller, await startIssue(database, caller, id, orgLimits)),
});
