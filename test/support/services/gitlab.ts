import type {
  DiscussionNoteSchema,
  ExpandedMergeRequestSchema,
  ExpandedPipelineSchema,
  IssueSchema,
  JobSchema,
  MergeRequestDiffSchema,
} from '@gitbeaker/rest';
import { json, type OutsideServer, type Reply } from '../outside-server.ts';
import { routed } from './requests-of.ts';

/** What the client expects, as far as the tests write it: unknown members do not compile. */
type Part<T> = T extends readonly (infer E)[]
  ? readonly Part<E>[]
  : T extends object
    ? { [K in keyof T]?: Part<T[K]> }
    : T;

const [author, at] = [{ id: 1, username: 'tanuki', name: 'Tanuki' }, '2026-01-01T00:00:00.000Z'];

export const ISSUE = {
  id: 1001,
  iid: 7,
  title: 'It is slow',
  description: 'Very slow.',
  state: 'opened',
  labels: ['bug'],
  author,
  assignees: [author],
  user_notes_count: 0,
  web_url: 'https://gitlab.com/acme/web/-/issues/7',
  created_at: at,
  updated_at: at,
} satisfies Part<IssueSchema>;

export const SHA = 'a'.repeat(40);

export const MERGE_REQUEST = {
  id: 2001,
  iid: 8,
  title: 'Make it fast',
  description: 'Faster.',
  state: 'opened',
  draft: false,
  author,
  source_branch: 'fast',
  target_branch: 'main',
  sha: SHA,
  detailed_merge_status: 'mergeable',
  web_url: 'https://gitlab.com/acme/web/-/merge_requests/8',
  created_at: at,
  updated_at: at,
} satisfies Part<ExpandedMergeRequestSchema>;

const PIPELINE = {
  id: 3001,
  status: 'failed',
  source: 'push',
  ref: 'fast',
  sha: SHA,
  web_url: 'https://gitlab.com/acme/web/-/pipelines/3001',
  user: author,
  created_at: at,
  updated_at: at,
} satisfies Part<ExpandedPipelineSchema>;

const JOBS = [
  { id: 41, name: 'test', stage: 'test', status: 'failed', allow_failure: false },
] satisfies Part<JobSchema>[];
const DIFFS = [
  { old_path: 'a.ts', new_path: 'a.ts', new_file: false, diff: '@@ -1 +1 @@\n' },
] satisfies Part<MergeRequestDiffSchema>[];
const NOTE = { id: 5, body: 'Indeed.', author, system: false, created_at: at } satisfies Part<DiscussionNoteSchema>;

/** Answers as the REST API of GitLab (v4) does, by its documentation and the types of the client for Node. */
export function answerAsGitlab({ url }: Pick<OutsideServer, 'url'>): Reply {
  const project = '/api/v4/projects/acme%2Fweb';
  const [issue, request] = [`${project}/issues/7`, `${project}/merge_requests/8`];
  const pipeline = `${project}/pipelines/3001`;
  return routed({
    [`GET ${project}/issues`]: (response, { url: asked }) => {
      const { searchParams } = new URL(asked, url);
      const isFirst = searchParams.get('state') === 'opened' && !searchParams.has('page');
      const link = `<https://gitlab.example.com/api/v4/projects/acme%2Fweb/issues?page=2&per_page=25&state=opened>; rel="next"`;
      const headers = { 'content-type': 'application/json', ...(isFirst && { link, 'x-next-page': '2' }) };
      response.writeHead(200, headers).end(JSON.stringify(isFirst ? [ISSUE] : []));
    },
    [`POST ${project}/issues`]: json(ISSUE, 201),
    [`GET ${issue}`]: json(ISSUE),
    [`PUT ${issue}`]: json(ISSUE),
    [`GET ${issue}/notes`]: json([NOTE]),
    [`POST ${issue}/notes`]: json(NOTE, 201),
    [`GET ${project}/merge_requests`]: json([MERGE_REQUEST]),
    [`POST ${project}/merge_requests`]: json(MERGE_REQUEST, 201),
    [`GET ${request}`]: json(MERGE_REQUEST),
    [`PUT ${request}`]: json(MERGE_REQUEST),
    [`PUT ${request}/merge`]: json({ ...MERGE_REQUEST, state: 'merged' }),
    [`GET ${request}/diffs`]: json(DIFFS),
    [`GET ${request}/notes`]: json([NOTE]),
    [`POST ${request}/notes`]: json(NOTE, 201),
    [`POST ${request}/approve`]: json({ approved: true, approvals_left: 0 }, 201),
    [`GET ${project}/pipelines`]: json([PIPELINE]),
    [`GET ${pipeline}`]: json(PIPELINE),
    [`GET ${pipeline}/jobs`]: json(JOBS),
    [`POST ${project}/pipeline`]: json(PIPELINE, 201),
    [`POST ${pipeline}/retry`]: json(PIPELINE, 201),
    [`POST ${pipeline}/cancel`]: json(PIPELINE),
    [`GET ${project}/jobs/41/trace`]: (response) =>
      void response.writeHead(200, { 'content-type': 'text/plain' }).end('Running\nFailed'),
  });
}
