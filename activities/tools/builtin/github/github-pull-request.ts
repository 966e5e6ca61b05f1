import { z } from 'zod';
import { ToolFailure } from '../../tool-failure.ts';
import { cursorParameter } from '../parameters.ts';
import { actionsWith, changeOf, defineServiceTool } from '../services/service-tool.ts';
import { type ActionService, listPage, pickFields } from '../services/read-answer.ts';
import { commentOn, type NamedIssue, repoParameter, repoPath } from './repo-parameter.ts';

const LISTED = 25;
const FILES = 50;
const MAX_DIFF = 8 * 1024 * 1024;

const parameters = z.strictObject({
  repo: repoParameter,
  number: z.int().min(1).optional().describe('Number of the pull request.'),
  head: z.string().max(300).optional().describe('The branch with the changes; `owner:branch` of a fork.'),
  base: z.string().max(300).optional().describe('The branch that they are for.'),
  title: z.string().min(1).max(256).optional().describe('In create and update.'),
  body: z.string().max(65_536).optional().describe('Markdown.'),
  draft: z.boolean().optional().describe('In create.'),
  state: z.enum(['open', 'closed', 'all']).optional().describe('In list; open when left out.'),
  event: z.enum(['APPROVE', 'REQUEST_CHANGES', 'COMMENT']).optional().describe('In review.'),
  sha: z
    .string()
    .regex(/^[0-9a-f]{40,64}$/)
    .optional()
    .describe('In merge: the head commit that was reviewed; another one is not merged.'),
  merge_method: z.enum(['merge', 'squash', 'rebase']).optional().describe('In merge; merge when left out.'),
  cursor: cursorParameter,
});

const { keyed, once, read } = actionsWith<z.output<typeof parameters>>();

/** The shown fields of a pull request. */
const PULL =
  'number title state draft merged user.login labels.name head.label head.sha base.ref html_url created_at updated_at';

const change = changeOf({ method: 'PATCH', pathOf: pullPath, fields: PULL });

const ACTIONS = {
  list: read([], async ({ repo, state, head, base, cursor }, { service }) => {
    const path = `${repoPath(repo)}/pulls`;
    const query = { state, head, base, per_page: LISTED };
    return listPage(service, 'pull_requests', { path, query, cursor, fields: PULL });
  }),
  get: read(['number'], async (args, { service }) => {
    const answer = await service.request({ path: pullPath(args) });
    const more = 'body mergeable mergeable_state commits changed_files additions deletions';
    return pickFields(answer.json(), `${PULL} ${more} merged_at requested_reviewers.login`);
  }),
  diff: read(['number'], async (args, { service }) => {
    const headers = { Accept: 'application/vnd.github.diff' };
    const answer = await service.request({ path: pullPath(args), headers, maxBytes: MAX_DIFF });
    return answer.text;
  }),
  files: read(['number'], async ({ cursor, ...args }, { service }) => {
    const path = `${pullPath(args)}/files`;
    const fields = 'filename previous_filename status additions deletions';
    return listPage(service, 'files', { path, query: { per_page: FILES }, cursor, fields });
  }),
  checks: read(['number'], async ({ cursor, ...args }, { service }) => {
    const { head } = await service.read({ path: pullPath(args) }, headSchema);
    const path = `${repoPath(args.repo)}/commits/${head.sha}/check-runs`;
    const fields = 'name status conclusion details_url output.title output.summary completed_at';
    const query = { per_page: FILES };
    const list = await listPage(service, 'checks', { path, query, cursor, fields, within: 'check_runs' });
    return { sha: head.sha, ...list };
  }),
  reviews: read(['number'], async ({ cursor, ...args }, { service }) => {
    const path = `${pullPath(args)}/reviews`;
    const fields = 'user.login state body commit_id submitted_at';
    return listPage(service, 'reviews', { path, query: { per_page: LISTED }, cursor, fields });
  }),
  create: once(['title', 'head', 'base'], async ({ repo, title, head, base, body, draft }, { service }) => {
    const json = { title, head, base, body, draft };
    return service.pick({ method: 'POST', path: `${repoPath(repo)}/pulls`, json }, PULL);
  }),
  update: keyed(['number'], async ({ title, body, base, ...args }, call) => change(args, { title, body, base }, call)),
  review: once(['number', 'event'], async ({ event, body, ...args }, { service }) => {
    const request = { method: 'POST', path: `${pullPath(args)}/reviews`, json: { event, body } } as const;
    return service.pick(request, 'id state html_url');
  }),
  comment: once(['number', 'body'], async ({ body, ...args }, call) => commentOn(args, body, call)),
  merge: keyed(['number', 'sha'], { approval: 'always' }, async ({ sha, merge_method: method, ...args }, { service }) =>
    mergePull(service, { ...args, sha, method }),
  ),
  close: keyed(['number'], async (args, call) => change(args, { state: 'closed' }, call)),
  reopen: keyed(['number'], async (args, call) => change(args, { state: 'open' }, call)),
};

const headSchema = z.object({ head: z.object({ sha: z.string().regex(/^[0-9a-f]{40,64}$/) }) });

/** Statuses with which GitHub refuses to merge: it cannot be merged (any more), or its head is another commit. */
const REFUSALS = [405, 409];

const mergedSchema = z.object({
  merged: z.literal(true),
  merge_commit_sha: z.string(),
  head: z.object({ sha: z.string() }),
});

/** Works with pull requests of repositories at GitHub. */
export const githubPullRequest = defineServiceTool({
  key: 'github_pull_request',
  name: 'GitHub pull request',
  description:
    'Lists and reads pull requests of a GitHub repository, with their diff, files, checks and reviews; opens, changes, reviews, comments on, merges, closes and reopens them.',
  category: 'github',
  kinds: ['github'],
  parameters,
  actions: ACTIONS,
});

/** Returns the path of a pull request in the API. */
function pullPath({ repo, number }: NamedIssue): string {
  return `${repoPath(repo)}/pulls/${number}`;
}

interface Merge extends NamedIssue {
  /** The commit that the head has to be. */
  readonly sha: string;
  readonly method: 'merge' | 'squash' | 'rebase' | undefined;
}

/** Merges a pull request. One of this very commit that is merged already is a success, so a repetition is one too. */
async function mergePull(service: ActionService, { sha, method, ...named }: Merge): Promise<unknown> {
  const path = pullPath(named);
  const json = { sha, merge_method: method };
  const answer = await service.request({ method: 'PUT', path: `${path}/merge`, json, accepts: REFUSALS });
  if (!REFUSALS.includes(answer.status)) return pickFields(answer.json(), 'merged sha message');
  const pull = mergedSchema.safeParse((await service.request({ path })).json());
  if (pull.success && pull.data.head.sha === sha)
    return { merged: true, sha: pull.data.merge_commit_sha, message: 'It was merged before' };
  throw new ToolFailure(
    'invalid_input',
    `GitHub does not merge it (status ${answer.status}): ${wordsOf(answer.json())}`,
    {
      isForeign: true,
    },
  );
}

function wordsOf(body: unknown): string {
  const said = z.object({ message: z.string().max(500) }).safeParse(body);
  return said.success ? said.data.message : 'it says no reason';
}
