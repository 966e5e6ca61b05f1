import { z } from 'zod';
import { actionsWith, changeOf, defineServiceTool } from '../services/service-tool.ts';
import { cursorParameter } from '../parameters.ts';
import { listPage } from '../services/read-answer.ts';
import { commentOn, NOTE, projectParameter, projectPath } from './project-parameter.ts';

const LISTED = 25;

const parameters = z.strictObject({
  project: projectParameter,
  iid: z.int().min(1).optional().describe('Number of the issue within its project.'),
  title: z.string().min(1).max(255).optional().describe('In create and update.'),
  description: z.string().max(1_000_000).optional().describe('Markdown, in create and update.'),
  body: z.string().min(1).max(1_000_000).optional().describe('Markdown, in comment.'),
  labels: z.array(z.string().max(255)).max(100).optional().describe('In update they replace those there are.'),
  assignee_ids: z.array(z.int().min(0)).max(100).optional().describe('In update they replace those there are.'),
  state: z.enum(['opened', 'closed', 'all']).optional().describe('In list; opened when left out.'),
  search: z.string().max(500).optional().describe('In list: words of title and description.'),
  cursor: cursorParameter,
});

const { keyed, once, read } = actionsWith<z.output<typeof parameters>>();
const ISSUE =
  'iid title state labels author.username assignees.username milestone.title user_notes_count due_date web_url created_at updated_at';
const change = changeOf({ method: 'PUT', pathOf: issuePath, fields: ISSUE });

const ACTIONS = {
  list: read([], async ({ project, state = 'opened', labels, search, cursor }, { service }) => {
    const path = `${projectPath(project)}/issues`;
    const query = { state, labels: labels?.join(','), search, per_page: LISTED };
    return listPage(service, 'issues', { path, query, cursor, fields: ISSUE });
  }),
  get: read(['iid'], async (args, { service }) =>
    service.pick({ path: issuePath(args) }, `${ISSUE} description closed_at confidential`),
  ),
  comments: read(['iid'], async ({ cursor, ...args }, { service }) => {
    const list = { path: `${issuePath(args)}/notes`, query: { per_page: LISTED }, cursor };
    return listPage(service, 'comments', { ...list, fields: NOTE });
  }),
  create: once(['title'], async ({ project, title, description, labels, assignee_ids: assignees }, { service }) => {
    const path = `${projectPath(project)}/issues`;
    const json = { title, description, labels: labels?.join(','), assignee_ids: assignees };
    return service.pick({ method: 'POST', path, json }, ISSUE);
  }),
  update: keyed(['iid'], async ({ title, description, labels, assignee_ids: assignees, ...args }, call) =>
    change(args, { title, description, labels: labels?.join(','), assignee_ids: assignees }, call),
  ),
  comment: once(['iid', 'body'], async ({ body, ...args }, call) => commentOn(issuePath(args), body, call)),
  close: keyed(['iid'], async (args, call) => change(args, { state_event: 'close' }, call)),
  reopen: keyed(['iid'], async (args, call) => change(args, { state_event: 'reopen' }, call)),
};

/** Works with issues of projects at GitLab. A change sets a state, so a repetition changes nothing. */
export const gitlabIssue = defineServiceTool({
  key: 'gitlab_issue',
  name: 'GitLab issue',
  description: 'Lists, reads, creates, changes, comments on, closes and reopens issues of a GitLab project.',
  category: 'gitlab',
  kinds: ['gitlab'],
  parameters,
  actions: ACTIONS,
});

function issuePath({ project, iid }: { readonly project: string; readonly iid: number }): string {
  return `${projectPath(project)}/issues/${iid}`;
}
