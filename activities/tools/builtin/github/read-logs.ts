import { filePath } from '../../workspace/workspace-path.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { fetchElsewhere } from '../services/fetch-elsewhere.ts';
import type { ServiceCall } from '../services/service-tool.ts';
import { shownText } from '../shown-text.ts';
import { repoPath } from './repo-parameter.ts';
import { runPath } from './workflow-run.ts';

const MAX_LOG = 8 * 1024 * 1024;
/** What `archive` reads. */
const MAX_ZIP = 15 * 1024 * 1024;
/** The answer that leads to where GitHub keeps them. */
const FOUND = [302];

/** Reads the log of a job. */
export async function jobLog(repo: string, jobId: number, { service, context }: ServiceCall): Promise<string> {
  const path = `${repoPath(repo)}/actions/jobs/${jobId}/logs`;
  const answer = await service.request({ path, effect: 'read', accepts: FOUND });
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
export async function runLogs(
  { repo, run_id: id, output }: RunLogs,
  { service, context }: ServiceCall,
): Promise<{ readonly file: string; readonly bytes: number }> {
  if (id === undefined) throw new ToolFailure('invalid_input', 'The action logs requires run_id or job_id');
  const file = output ?? `logs/run-${id}.zip`;
  const target = filePath(file);
  const answer = await service.request({
    path: `${runPath({ repo, run_id: id })}/logs`,
    effect: 'read',
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
