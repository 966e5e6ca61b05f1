import { z } from 'zod';
import { actionsWith, changeOf, defineServiceTool } from '../services/service-tool.ts';
import { cursorParameter } from '../parameters.ts';
import { listPage } from '../services/read-answer.ts';
import { commentOn, ISSUE, issuePath, repoParameter, repoPath } from './repo-parameter.ts';

const LISTED = 25;

const parameters = z.strictObject({
  repo: repoParameter,
  number: z.int().min(1).optional().describe('Number of the issue.'),
  title: z.string().min(1).max(256).optional().describe('In create and update.'),
  body: z.string().max(65_536).optional().describe('Markdown.'),
  labels: z.array(z.string().max(100)).max(100).optional().describe('In update they replace those there are.'),
  assignees: z
    .array(z.string().max(100))
    .max(10)
    .optional()
    .describe('Logins; in update they replace those there are.'),
  state: z.enum(['open', 'closed', 'all']).optional().describe('In list; open when left out.'),
  reason: z.enum(['completed', 'not_planned']).optional().describe('In close.'),
  cursor: cursorParameter,
});

const { keyed, once, read } = actionsWith<z.output<typeof parameters>>();
const change = changeOf({ method: 'PATCH', pathOf: issuePath, fields: ISSUE });

const ACTIONS = {
  list: read([], async ({ repo, state, labels, cursor }, { service }) => {
    const query = { state, labels: labels?.join(','), per_page: LISTED };
    const list = { path: `${repoPath(repo)}/issues`, query, cursor, fields: `${ISSUE} pull_request.url` };
    const { items, next } = await listPage(service, 'items', list);
    return { issues: Array.isArray(items) ? items.filter(isIssue) : items, next };
  }),
  get: read(['number'], async (args, { service }) =>
    service.pick({ path: issuePath(args) }, `${ISSUE} body closed_at locked`),
  ),
  comments: read(['number'], async ({ cursor, ...args }, { service }) => {
    const path = `${issuePath(args)}/comments`;
    const fields = 'id user.login body created_at';
    return listPage(service, 'comments', { path, query: { per_page: LISTED }, cursor, fields });
  }),
  create: once(['title'], async ({ repo, title, body, labels, assignees }, { service }) => {
    const json = { title, body, labels, assignees };
    return service.pick({ method: 'POST', path: `${repoPath(repo)}/issues`, json }, ISSUE);
  }),
  update: keyed(['number'], async ({ title, body, labels, assignees, ...args }, call) =>
    change(args, { title, body, labels, assignees }, call),
  ),
  comment: once(['number', 'body'], async ({ body, ...args }, call) => commentOn(args, body, call)),
  close: keyed(['number'], async ({ reason, ...args }, call) =>
    change(args, { state: 'closed', state_reason: reason }, call),
  ),
  reopen: keyed(['number'], async (args, call) => change(args, { state: 'open' }, call)),
};

/** Works with issues of repositories at GitHub. A change sets a state, so a repetition changes nothing. */
export const githubIssue = defineServiceTool({
  key: 'github_issue',
  name: 'GitHub issue',
  description: 'Lists, reads, creates, changes, comments on, closes and reopens issues of a GitHub repository.',
  category: 'github',
  kinds: ['github'],
  parameters,
  actions: ACTIONS,
});

// The list of issues has pull requests among them.
function isIssue(value: unknown): boolean {
  return typeof value !== 'object' || value === null || !('pull_request' in value);
}
