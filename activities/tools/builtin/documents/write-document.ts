import { z } from 'zod';
import type { DocumentJob } from '../../compute/job.ts';
import type { ToolContext } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { filePath } from '../../workspace/workspace-path.ts';
import { computeOverDocument, DOCUMENT_LIMIT_MS } from './compute-over-document.ts';

const madeSchema = z.object({ file: z.string(), pages: z.int().optional() });

/** What is written, and where. */
interface Writing {
  readonly file: string;
  /** How the name of such a file ends. */
  readonly extension: string;
  readonly job: DocumentJob;
  /** A document of the workspace of which it is made. */
  readonly template?: string | undefined;
}

/** Makes a document and writes it to the workspace. Repeated, it writes the same content again. */
export async function writeDocument({ file, extension, job, template }: Writing, context: ToolContext) {
  const path = filePath(file);
  if (!file.toLowerCase().endsWith(extension))
    throw new ToolFailure('invalid_input', `The name of the file must end with ${extension}`);
  const { result, isForeign } =
    template === undefined
      ? { result: await makeNew(job, context), isForeign: false }
      : await computeOverDocument(template, context, job);
  const { file: base64, pages } = madeSchema.parse(result);
  const bytes = Buffer.from(base64, 'base64');
  const { wasThere } = await context.workspace.write(path, bytes, {
    overwrite: true,
    createFolders: true,
    isForeign: isForeign || context.hasForeignText,
  });
  return { value: { file, bytes: bytes.length, ...(pages !== undefined && { pages }), replaced: wasThere } };
}

async function makeNew(job: DocumentJob, { compute }: ToolContext): Promise<unknown> {
  return JSON.parse(
    await compute(job, { document: async () => Buffer.alloc(0), limitMs: DOCUMENT_LIMIT_MS }),
  ) as unknown;
}
