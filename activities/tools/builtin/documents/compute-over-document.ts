import type { DocumentJob } from '../../compute/job.ts';
import type { ToolContext } from '../../context.ts';
import { filePath } from '../../workspace/workspace-path.ts';
import { markingFailures } from '../marking-failures.ts';

/** The largest document that is read: as large as what users upload unless the operator says otherwise. */
const MAX_BYTES = 25_000_000;
/** The longest time for one document. */
export const DOCUMENT_LIMIT_MS = 50_000;

/** Runs a job over a document of the workspace. Returns its result, and whether it may repeat text from outside. */
export async function computeOverDocument(
  file: string,
  context: ToolContext,
  job: DocumentJob,
): Promise<{ readonly result: unknown; readonly isForeign: boolean }> {
  const path = filePath(file);
  const { workspace } = context;
  let isForeign = false;
  const read = async () => {
    const bytes = await workspace.read(path, MAX_BYTES);
    // Checked after reading and before there is a result to hold: writers set the mark before the content.
    isForeign = await workspace.isForeign(path);
    return bytes;
  };
  return markingFailures(
    context,
    () => [path],
    async () => {
      const json = await context.compute(job, { document: read, limitMs: DOCUMENT_LIMIT_MS });
      return { result: JSON.parse(json) as unknown, isForeign };
    },
  );
}
