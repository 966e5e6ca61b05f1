import { encodingNoticeOf } from '../../../core/texts/read-text.ts';
import type { ComputeJob } from '../../compute/job.ts';
import type { ToolContext } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { filePath, type WorkspacePath } from '../../workspace/workspace-path.ts';

const MAX_BYTES = 10_000_000;

/** The JSON of a calculation's result, whether it may repeat text from outside, and what is uncertain of its input. */
export interface Computed {
  readonly json: string;
  readonly isForeign: boolean;
  readonly notice?: string | undefined;
}

/**
 * Runs a job over the content of a file of the workspace, encoded as base64: that has a predictable length, while
 * control characters in JSON take six times theirs.
 */
export async function computeOverFile(
  file: string,
  context: ToolContext,
  jobOf: (base64: string) => ComputeJob,
): Promise<Computed> {
  const path = filePath(file);
  const { workspace } = context;
  let isForeign = false;
  let notice: string | undefined;
  const job = async () => {
    const content = await workspace.read(path, MAX_BYTES);
    notice = encodingNoticeOf(content);
    // Checked after reading and before there is a result: writers set the mark before the content.
    isForeign = await workspace.isForeign(path);
    return jobOf(content.toString('base64'));
  };
  return markingFailures(
    context,
    () => [path],
    async () => ({ json: await context.compute(job), isForeign, notice }),
  );
}

/** Runs a job over a given text, or over the content of a file; one of them must be given. */
export async function computeOver(
  { text, file }: { readonly text?: string | undefined; readonly file?: string | undefined },
  context: ToolContext,
  jobOf: (base64: string) => ComputeJob,
): Promise<Computed> {
  if (text !== undefined && file === undefined) {
    const job = jobOf(Buffer.from(text).toString('base64'));
    return { json: await context.compute(job), isForeign: false };
  }
  if (file !== undefined && text === undefined) return computeOverFile(file, context, jobOf);
  throw new ToolFailure('invalid_input', 'Give either text or file');
}

/**
 * Runs work on files whose content an error may quote. Such an error is marked as text from outside when one of the
 * files is marked, or was by the time it was read.
 */
export async function markingFailures<T>(
  { workspace }: Pick<ToolContext, 'workspace'>,
  paths: () => readonly WorkspacePath[],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    const marks = await Promise.all(paths().map(async (path) => workspace.isForeign(path)));
    throw marks.includes(true) ? error.asForeign() : error;
  }
}
