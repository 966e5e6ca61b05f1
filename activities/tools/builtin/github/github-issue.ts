import { z } from 'zod';
import { actionsWith, changeOf, defineServiceTool } from '../services/service-tool.ts';
import { cursorParameter } from '../parameters.ts';
import { listPage, requestFields } from '../services/read-answer.ts';
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

const action = actionsWith<z.output<typeof parameters>>();
const change = changeOf({ method: 'PATCH', pathOf: issuePath, fields: ISSUE });

const ACTIONS = {
  list: action({
    effect: 'read',
    run: async ({ repo, state, labels, cursor }, { service }) => {
      const query = { state, labels: labels?.join(','), per_page: LISTED };
      const fields = [...ISSUE, 'pull_request.url'];
      const { items, next } = await listPage(service, { path: `${repoPath(repo)}/issues`, query, cursor, fields });
      return { issues: Array.isArray(items) ? items.filter(isIssue) : items, next };
    },
  }),
  get: action({
    needs: ['number'],
    effect: 'read',
    run: async (args, { service }) => {
      return requestFields(service, { path: issuePath(args), effect: 'read' }, [
        ...ISSUE,
        'body',
        'closed_at',
        'locked',
      ]);
    },
  }),
  comments: action({
    needs: ['number'],
    effect: 'read',
    run: async ({ cursor, ...args }, { service }) => {
      const path = `${issuePath(args)}/comments`;
      const fields = ['id', 'user.login', 'body', 'created_at'];
      const { items, next } = await listPage(service, { path, query: { per_page: LISTED }, cursor, fields });
      return { comments: items, next };
    },
  }),
  create: action({
    needs: ['title'],
    effect: 'once',
    run: async ({ repo, title, body, labels, assignees }, { service }) => {
      const json = { title, body, labels, assignees };
      return requestFields(service, { method: 'POST', path: `${repoPath(repo)}/issues`, json, effect: 'once' }, ISSUE);
    },
  }),
  update: action({
    needs: ['number'],
    effect: 'keyed',
    run: async ({ title, body, labels, assignees, ...args }, call) =>
      change(args, { title, body, labels, assignees }, call),
  }),
  comment: action({
    needs: ['number', 'body'],
    effect: 'once',
    run: async ({ body, ...args }, call) => commentOn(args, body, call),
  }),
  close: action({
    needs: ['number'],
    effect: 'keyed',
    run: async ({ reason, ...args }, call) => change(args, { state: 'closed', state_reason: reason }, call),
  }),
  reopen: action({
    needs: ['number'],
    effect: 'keyed',
    run: async (args, call) => change(args, { state: 'open' }, call),
  }),
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
