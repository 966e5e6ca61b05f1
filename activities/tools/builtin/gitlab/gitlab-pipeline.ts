import { z } from 'zod';
import type { ServiceAnswer } from '../../context.ts';
import { fetchElsewhere, listPage, pickFields } from '../services/read-answer.ts';
import { cursorParameter, propertiesParameter } from '../parameters.ts';
import { actionsWith, defineServiceTool, type ServiceCall } from '../services/service-tool.ts';
import { shownText } from '../shown-text.ts';
import { projectParameter, projectPath } from './project-parameter.ts';

const LISTED = 25;
const MAX_LOG = 8 * 1024 * 1024;
const MAX_VARIABLES = 50;
/** The answer that leads to a log in the storage of objects. */
const FOUND = [302];

const parameters = z.strictObject({
  project: projectParameter,
  pipeline_id: z.int().min(1).optional().describe('Id of the pipeline.'),
  job_id: z.int().min(1).optional().describe('In job_log.'),
  ref: z.string().min(1).max(300).optional().describe('Branch or tag; in list only those of it.'),
  status: z.string().max(50).optional().describe('In list, such as failed, success or running.'),
  variables: propertiesParameter(z.string().max(10_000), MAX_VARIABLES).optional().describe('In create.'),
  cursor: cursorParameter,
});

type Arguments = z.output<typeof parameters>;
const { keyed, once, read } = actionsWith<Arguments>();
const PIPELINE = 'id status source ref sha web_url created_at updated_at';

const ACTIONS = {
  list: read([], async ({ project, ref, status, cursor }, { service }) => {
    const list = { path: `${projectPath(project)}/pipelines`, query: { ref, status, per_page: LISTED }, cursor };
    return listPage(service, 'pipelines', { ...list, fields: PIPELINE });
  }),
  get: read(['pipeline_id'], async (args, { service }) => {
    const answer = await service.request({ path: pipelinePath(args) });
    const more = 'user.username started_at finished_at duration coverage yaml_errors';
    return pickFields(answer.json(), `${PIPELINE} ${more}`);
  }),
  jobs: read(['pipeline_id'], async ({ cursor, ...args }, { service }) => {
    const fields = 'id name stage status failure_reason allow_failure duration web_url';
    const list = { path: `${pipelinePath(args)}/jobs`, query: { per_page: LISTED }, cursor };
    return listPage(service, 'jobs', { ...list, fields });
  }),
  job_log: read(['job_id'], async ({ project, job_id: id }, call) => {
    const path = `${projectPath(project)}/jobs/${id}/trace`;
    const answer = await call.service.request({ path, accepts: FOUND, maxBytes: MAX_LOG });
    const bytes = Buffer.from(await logIn(answer, call));
    return shownText({ bytes, name: `job-${id}`, isForeign: true }, call.context);
  }),
  create: once(['ref'], async ({ project, ref, variables }, { service }) => {
    const pairs = variables && Object.entries(variables).map(([key, value]) => ({ key, value }));
    const request = { method: 'POST', path: `${projectPath(project)}/pipeline` } as const;
    return service.pick({ ...request, json: { ref, variables: pairs } }, PIPELINE);
  }),
  retry: once(['pipeline_id'], async (args, { service }) => {
    const path = `${pipelinePath(args)}/retry`;
    return service.pick({ method: 'POST', path }, PIPELINE);
  }),
  cancel: keyed(['pipeline_id'], async (args, { service }) => {
    const path = `${pipelinePath(args)}/cancel`;
    return service.pick({ method: 'POST', path }, PIPELINE);
  }),
};

/** Reads pipelines at GitLab, and starts, repeats and cancels them. */
export const gitlabPipeline = defineServiceTool({
  key: 'gitlab_pipeline',
  name: 'GitLab pipeline',
  description:
    'Lists pipelines of a GitLab project and their jobs, reads logs of jobs, and starts, repeats or cancels pipelines.',
  category: 'gitlab',
  kinds: ['gitlab'],
  parameters,
  actions: ACTIONS,
});

function pipelinePath({ project, pipeline_id: id }: Pick<Arguments, 'project'> & { readonly pipeline_id: number }) {
  return `${projectPath(project)}/pipelines/${id}`;
}

async function logIn(answer: ServiceAnswer, { service, context }: ServiceCall): Promise<string> {
  if (!FOUND.includes(answer.status)) return answer.text;
  return service.mask((await fetchElsewhere(answer, { service, context, maxBytes: MAX_LOG })).toString());
}
