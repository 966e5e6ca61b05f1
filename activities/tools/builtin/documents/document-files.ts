import { z } from 'zod';
import { BLOCK_TYPES, type DocumentJob } from '../../compute/job.ts';
import type { ToolContext } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { filePath } from '../../workspace/workspace-path.ts';
import { markingFailures } from '../data/compute-over-file.ts';

/** The largest document that is read: as large as what users upload unless the operator says otherwise. */
const MAX_BYTES = 25_000_000;
/** The longest time for one document. */
const DOCUMENT_LIMIT_MS = 50_000;

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
    // Checked after reading and before there is a result: writers set the mark before the content.
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

const madeSchema = z.object({ file: z.string(), pages: z.int().optional() });

/** A file to write. */
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

const MAX_BLOCKS = 5_000;
const MAX_LINES = 5_000;

const block = z.strictObject({
  type: z.enum(BLOCK_TYPES),
  text: z.string().optional(),
  level: z.int().min(1).max(6).optional(),
  items: z.array(z.string()).max(MAX_LINES).optional(),
  ordered: z.boolean().optional(),
  rows: z.array(z.array(z.string()).max(30)).max(MAX_LINES).optional().describe('Of a table; the first is its head.'),
});

/** The parameters of tools that write documents. */
export const CONTENT_PARAMETERS = {
  file: z.string().min(1).max(1024).describe('Path to write to; a file that is there is replaced.'),
  markdown: z
    .string()
    .optional()
    .describe('The content, with tables; a line `<!-- pagebreak -->` begins a new page. Pictures are left out.'),
  blocks: z.array(block).max(MAX_BLOCKS).optional().describe('The content in parts, instead of Markdown.'),
  title: z.string().max(300).optional().describe('Also the heading, when the content begins with none.'),
};

/** Rejects content that is given in two forms or not at all. */
export function requireContent({ markdown, blocks }: { markdown?: string | undefined; blocks?: unknown }): void {
  if ((markdown === undefined) === (blocks === undefined))
    throw new ToolFailure('invalid_input', 'Give either markdown or blocks');
}

/** The default length of an excerpt; leaves room for the notes beside it in a result. */
export const SHOWN_CHARACTERS = 14_000;
/** The most that a reader can be asked for: the whole of a long result goes into a file. */
export const MAX_CHARACTERS = 1_500_000;
