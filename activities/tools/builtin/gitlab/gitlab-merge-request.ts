import { z } from 'zod';
import { ToolFailure } from '../../tool-failure.ts';
import { cursorParameter } from '../parameters.ts';
import { actionsWith, changeOf, defineServiceTool } from '../services/service-tool.ts';
import { type ActionService, listPage, pickFields } from '../services/read-answer.ts';
import { commentOn, NOTE, projectParameter, projectPath } from './project-parameter.ts';

interface Acceptance {
  /** The commit that the source branch has to be at. */
  readonly sha: string;
  readonly squash: boolean | undefined;
  readonly should_remove_source_branch: boolean | undefined;
}

/** Statuses with which GitLab refuses: it cannot be merged (any more), or its branch is at another commit. */
const REFUSALS = [405, 406, 409, 422];

/** Merges a merge request. One of this very commit that is merged already is a success, so a repetition is one too. */
async function acceptMergeRequest(
  service: ActionService,
  named: NamedMergeRequest,
  json: Acceptance,
): Promise<unknown> {
  const path = mergeRequestPath(named);
  const request = { method: 'PUT', path: `${path}/merge`, json, accepts: REFUSALS } as const;
  const answer = await service.request(request);
  if (!REFUSALS.includes(answer.status)) return pickFields(answer.json(), MERGE_REQUEST);
  const now = (await service.request({ path })).json();
  const merged = z.object({ state: z.literal('merged'), sha: z.literal(json.sha) });
  if (merged.safeParse(now).success) return pickFields(now, MERGE_REQUEST);
  const status = z.object({ detailed_merge_status: z.string().max(100) }).safeParse(now);
  const why = status.success ? `its merge status is ${status.data.detailed_merge_status}` : 'it says no reason';
  throw new ToolFailure('invalid_input', `GitLab does not merge it (status ${answer.status}): ${why}`, {
    isForeign: true,
  });
}

const LISTED = 25;

const parameters = z.strictObject({
  project: projectParameter,
  iid: z.int().min(1).optional().describe('Number of the merge request within its project.'),
  source_branch: z.string().max(300).optional().describe('The branch with the changes.'),
  target_branch: z.string().max(300).optional().describe('The branch that they are for.'),
  title: z.string().min(1).max(255).optional().describe('In create and update.'),
  description: z.string().max(1_000_000).optional().describe('Markdown, in create and update.'),
  body: z.string().min(1).max(1_000_000).optional().describe('Markdown, in comment.'),
  state: z.enum(['opened', 'closed', 'merged', 'all']).optional().describe('In list; opened when left out.'),
  sha: z
    .string()
    .regex(/^[0-9a-f]{40,64}$/)
    .optional()
    .describe('In merge and approve: the commit that was reviewed; another one is rejected.'),
  squash: z.boolean().optional().describe('In merge.'),
  remove_source_branch: z.boolean().optional().describe('In create and merge.'),
  cursor: cursorParameter,
});

const { keyed, once, read } = actionsWith<z.output<typeof parameters>>();

/** The shown fields of a merge request. */
const MERGE_REQUEST =
  'iid title state draft author.username labels source_branch target_branch sha detailed_merge_status merge_commit_sha web_url created_at updated_at';

const change = changeOf({ method: 'PUT', pathOf: mergeRequestPath, fields: MERGE_REQUEST });

const ACTIONS = {
  list: read([], async ({ project, state = 'opened', source_branch, target_branch, cursor }, { service }) => {
    const path = `${projectPath(project)}/merge_requests`;
    const query = { state, source_branch, target_branch, per_page: LISTED };
    return listPage(service, 'merge_requests', { path, query, cursor, fields: MERGE_REQUEST });
  }),
  get: read(['iid'], async (args, { service }) => {
    const answer = await service.request({ path: mergeRequestPath(args) });
    const more = 'description changes_count merged_at reviewers.username blocking_discussions_resolved';
    const pipeline = 'head_pipeline.id head_pipeline.status head_pipeline.web_url';
    return pickFields(answer.json(), `${MERGE_REQUEST} ${more} ${pipeline}`);
  }),
  changes: read(['iid'], async ({ cursor, ...args }, { service }) => {
    const fields = 'old_path new_path new_file renamed_file deleted_file too_large diff';
    const list = { path: `${mergeRequestPath(args)}/diffs`, query: { per_page: LISTED }, cursor };
    return listPage(service, 'changes', { ...list, fields });
  }),
  comments: read(['iid'], async ({ cursor, ...args }, { service }) => {
    const list = { path: `${mergeRequestPath(args)}/notes`, query: { per_page: LISTED }, cursor };
    return listPage(service, 'comments', { ...list, fields: NOTE });
  }),
  create: once(['title', 'source_branch', 'target_branch'], async (args, { service }) => {
    const { project, title, source_branch, target_branch, description, remove_source_branch } = args;
    const json = { title, source_branch, target_branch, description, remove_source_branch };
    const request = { method: 'POST', path: `${projectPath(project)}/merge_requests`, json } as const;
    return service.pick(request, MERGE_REQUEST);
  }),
  update: keyed(['iid'], async ({ title, description, target_branch, ...args }, call) =>
    change(args, { title, description, target_branch }, call),
  ),
  comment: once(['iid', 'body'], async ({ body, ...args }, call) => commentOn(mergeRequestPath(args), body, call)),
  approve: once(['iid', 'sha'], async ({ sha, ...args }, { service }) => {
    const path = `${mergeRequestPath(args)}/approve`;
    return service.pick({ method: 'POST', path, json: { sha } }, 'approved approvals_left approved_by.user.username');
  }),
  merge: keyed(
    ['iid', 'sha'],
    { approval: 'always' },
    async ({ sha, squash, remove_source_branch: removes, ...args }, { service }) =>
      acceptMergeRequest(service, args, { sha, squash, should_remove_source_branch: removes }),
  ),
  close: keyed(['iid'], async (args, call) => change(args, { state_event: 'close' }, call)),
  reopen: keyed(['iid'], async (args, call) => change(args, { state_event: 'reopen' }, call)),
};

/** Works with merge requests of projects at GitLab. */
export const gitlabMergeRequest = defineServiceTool({
  key: 'gitlab_merge_request',
  name: 'GitLab merge request',
  description:
    'Lists and reads merge requests of a GitLab project, with their changes and comments; opens, changes, comments on, approves, merges, closes and reopens them.',
  category: 'gitlab',
  kinds: ['gitlab'],
  parameters,
  actions: ACTIONS,
});

/** Names a merge request. */
interface NamedMergeRequest {
  readonly project: string;
  readonly iid: number;
}

/** Returns the path of a merge request in the API. */
function mergeRequestPath({ project, iid }: NamedMergeRequest): string {
  return `${projectPath(project)}/merge_requests/${iid}`;
}
