import { z } from 'zod';
import { ToolFailure } from '../../tool-failure.ts';
import { filePath } from '../../workspace/workspace-path.ts';
import { cursorParameter, propertiesParameter } from '../parameters.ts';
import { fetchElsewhere, listPage } from '../services/read-answer.ts';
import { actionsWith, defineServiceTool, pathOf, type ServiceCall } from '../services/service-tool.ts';
import { shownText } from '../shown-text.ts';
import { repoParameter, repoPath } from './repo-parameter.ts';

const LISTED = 20;
const JOBS = 50;
const MAX_INPUTS = 25;
const id = z.int().min(1);

const parameters = z.strictObject({
  repo: repoParameter,
  workflow: z.string().min(1).max(200).optional().describe('File name such as `ci.yml`, or id.'),
  run_id: id.optional().describe('Id of the run.'),
  job_id: id.optional().describe('In logs: only this job, as text.'),
  branch: z.string().max(300).optional().describe('In list_runs.'),
  status: z.string().max(50).optional().describe('In list_runs, such as failure, success or in_progress.'),
  ref: z.string().min(1).max(300).optional().describe('In dispatch: the branch or tag to run.'),
  inputs: propertiesParameter(z.union([z.string().max(10_000), z.number(), z.boolean()]), MAX_INPUTS)
    .optional()
    .describe('In dispatch.'),
  failed_only: z.boolean().optional().describe('In rerun: only the jobs that failed.'),
  output: z.string().min(1).max(1024).optional().describe('In logs of a run: the ZIP file of the workspace to write.'),
  cursor: cursorParameter,
});

const { keyed, once, read } = actionsWith<z.output<typeof parameters>>();

const ACTIONS = {
  list_workflows: read([], async ({ repo, cursor }, { service }) => {
    const list = { path: `${repoPath(repo)}/actions/workflows`, query: { per_page: JOBS }, cursor };
    const fields = 'id name path state';
    return listPage(service, 'workflows', { ...list, fields, within: 'workflows' });
  }),
  list_runs: read([], async ({ repo, workflow, branch, status, cursor }, { service }) => {
    const below = workflow === undefined ? '' : pathOf`/workflows/${workflow}`;
    const path = `${repoPath(repo)}/actions${below}/runs`;
    const query = { branch, status, per_page: LISTED };
    return listPage(service, 'runs', { path, query, cursor, fields: RUN, within: 'workflow_runs' });
  }),
  get_run: read(['run_id'], async (args, { service }) =>
    service.pick({ path: runPath(args) }, `${RUN} actor.login head_commit.message run_started_at`),
  ),
  jobs: read(['run_id'], async ({ cursor, ...args }, { service }) => {
    const fields = 'id name status conclusion started_at completed_at steps.number steps.name steps.conclusion';
    const list = { path: `${runPath(args)}/jobs`, query: { per_page: JOBS }, cursor };
    return listPage(service, 'jobs', { ...list, fields, within: 'jobs' });
  }),
  logs: read([], async (args, call) =>
    args.job_id === undefined ? runLogs(args, call) : jobLog(args.repo, args.job_id, call),
  ),
  dispatch: once(['workflow', 'ref'], async ({ repo, workflow, ref, inputs }, { service }) => {
    const path = `${repoPath(repo)}/actions${pathOf`/workflows/${workflow}`}/dispatches`;
    await service.request({ method: 'POST', path, json: { ref, inputs } });
    return { started: true };
  }),
  rerun: once(['run_id'], async ({ failed_only: failedOnly = false, ...args }, { service }) => {
    const path = `${runPath(args)}/${failedOnly ? 'rerun-failed-jobs' : 'rerun'}`;
    await service.request({ method: 'POST', path });
    return { started: true };
  }),
  cancel: keyed(['run_id'], async (args, { service }) => {
    // A run that has ended, or was cancelled before, answers 409: how it ended says the rest.
    await service.request({ method: 'POST', path: `${runPath(args)}/cancel`, accepts: [409] });
    return service.pick({ path: runPath(args) }, 'id status conclusion');
  }),
};

/** The shown fields of a workflow run. */
const RUN =
  'id name display_title run_number run_attempt event status conclusion head_branch head_sha html_url created_at updated_at';

const MAX_LOG = 8 * 1024 * 1024;
/** What `archive` reads. */
const MAX_ZIP = 15 * 1024 * 1024;
/** The answer that leads to where GitHub keeps them. */
const FOUND = [302];

/** Reads runs of workflows at GitHub, and starts, repeats and cancels them. */
export const githubActions = defineServiceTool({
  key: 'github_actions',
  name: 'GitHub Actions',
  description:
    'Lists workflows of a GitHub repository, their runs and jobs, reads logs, and starts, repeats or cancels runs.',
  category: 'github',
  kinds: ['github'],
  parameters,
  actions: ACTIONS,
});

/** Returns the path of a run in the API. */
function runPath({ repo, run_id: id }: { readonly repo: string; readonly run_id: number }): string {
  return `${repoPath(repo)}/actions/runs/${id}`;
}

/** Reads the log of a job. */
async function jobLog(repo: string, jobId: number, { service, context }: ServiceCall): Promise<string> {
  const path = `${repoPath(repo)}/actions/jobs/${jobId}/logs`;
  const answer = await service.request({ path, accepts: FOUND });
  const bytes = await fetchElsewhere(answer, { service, context, maxBytes: MAX_LOG });
  return shownText(
    { bytes: Buffer.from(service.mask(bytes.toString())), name: `job-${jobId}`, isForeign: true },
    context,
  );
}

interface RunLogs {
  readonly repo: string;
  readonly run_id?: number | undefined;
  readonly output?: string | undefined;
}

/** Writes the logs of all jobs of a run, a ZIP archive, to a file of the workspace. */
async function runLogs(
  { repo, run_id: id, output }: RunLogs,
  { service, context }: ServiceCall,
): Promise<{ readonly file: string; readonly bytes: number }> {
  if (id === undefined) throw new ToolFailure('invalid_input', 'The action logs requires run_id or job_id');
  const file = output ?? `logs/run-${id}.zip`;
  const target = filePath(file);
  const answer = await service.request({
    path: `${runPath({ repo, run_id: id })}/logs`,
    accepts: FOUND,
  });
  const bytes = await fetchElsewhere(answer, { service, context, maxBytes: MAX_ZIP });
  await context.workspace.write(target, bytes, {
    overwrite: output === undefined,
    createFolders: true,
    isForeign: true,
  });
  return { file, bytes: bytes.length };
}
