import { z } from 'zod';
import { IMAGE_OPERATIONS, type ImageFormat, type ImageJob, MAX_CONTENT_BYTES } from '../../compute/job.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { filePath, type WorkspacePath } from '../../workspace/workspace-path.ts';
import { markingFailures } from '../data/compute-over-file.ts';
import type { ToolContext } from '../../context.ts';

const QUALITY = 85;
const pixels = z.int().min(1).max(16_384);
const offset = z.int().min(0).max(16_384);

/** Works on pictures. Repeated, it writes the same picture again. */
export const imageProcess = defineTool({
  key: 'image_process',
  name: 'Process image',
  description:
    'Returns the format, size and metadata of a PNG, JPEG, WebP, AVIF or GIF file, or writes a copy to `output`: resized, cropped, rotated, or in another format. The copy has no metadata, such as the location of a photo.',
  category: 'media',
  parameters: z.strictObject({
    file: z.string().min(1).max(1024).describe('Path of the picture in the workspace.'),
    output: z
      .string()
      .min(1)
      .max(1024)
      .optional()
      .describe('Path to write to; its end is the format: png, jpg, webp or avif.'),
    operations: z
      .array(
        z.strictObject({
          kind: z.enum(IMAGE_OPERATIONS).describe('resize fits it into width and height, or one of them.'),
          width: pixels.optional().describe('For resize and crop, in pixels.'),
          height: pixels.optional().describe('For resize and crop, in pixels.'),
          x: offset.optional().describe('For crop, from the left.'),
          y: offset.optional().describe('For crop, from the top.'),
          degrees: z.number().min(-360).max(360).optional().describe('For rotate, clockwise.'),
        }),
      )
      .max(10)
      .optional()
      .describe('What to do, in this order.'),
    quality: z.int().min(1).max(100).optional().describe('Of JPEG, WebP and AVIF; 85 when left out.'),
  }),
  effect: 'keyed',
  effectOf: ({ output }) => (output === undefined ? 'read' : 'keyed'),
  timeoutSeconds: 90,
  label: ({ file, output }) => (output === undefined ? `Looking at ${file}` : `Writing ${output}`),
  run: async ({ file, output, operations = [], quality = QUALITY }, context) => {
    const source = filePath(file);
    const target = output === undefined ? undefined : { path: filePath(output), format: pictureFormat(output) };
    if (target === undefined && operations.length > 0)
      throw new ToolFailure('invalid_input', 'Give output: the path to write the picture to');
    const work = async () => {
      const { workspace } = context;
      const job = async (): Promise<ImageJob> => {
        const content = (await workspace.read(source, MAX_CONTENT_BYTES)).toString('base64');
        return { kind: 'image', content, operations, output: target?.format, quality };
      };
      const { before, after } = resultSchema.parse(JSON.parse(await context.compute(job)));
      const isForeign = await workspace.isForeign(source);
      if (target === undefined || after === undefined) return { value: before, isForeign };
      const bytes = Buffer.from(after.content, 'base64');
      await workspace.write(target.path, bytes, { overwrite: true, createFolders: true, isForeign });
      const { width, height } = after;
      return { value: { output, width, height, bytes: bytes.length, removed_metadata: before.metadata }, isForeign };
    };
    return context.runLargeWork(async () => markingFailures(context, () => [source], work));
  },
});

const resultSchema = z.object({
  before: z.object({
    format: z.string(),
    width: z.int(),
    height: z.int(),
    transparent: z.boolean(),
    metadata: z.array(z.string()),
  }),
  after: z.object({ width: z.int(), height: z.int(), content: z.string() }).optional(),
});

const FORMATS: Readonly<Record<string, ImageFormat>> = {
  png: 'png',
  jpg: 'jpeg',
  jpeg: 'jpeg',
  webp: 'webp',
  avif: 'avif',
};

/** Returns the format that a picture is written in, by the end of its path. */
function pictureFormat(output: string): ImageFormat {
  const format = FORMATS[output.slice(output.lastIndexOf('.') + 1).toLowerCase()];
  if (format === undefined) throw new ToolFailure('invalid_input', 'output must end with .png, .jpg, .webp or .avif');
  return format;
}

const MAX_PICTURES = 4;
/** The pictures of one call for which nobody is asked. */
const UNASKED_PICTURES = 2;
const GENERATED_QUALITY = 90;

/** Generates pictures. It costs, so it is never repeated. */
export const imageGenerate = defineTool({
  key: 'image_generate',
  name: 'Generate image',
  description:
    'Makes a picture by a description with an image model of a provider account, or changes the one in `image`, and writes it to `output`. Each call costs.',
  category: 'media',
  onlyInChats: true,
  parameters: z.strictObject({
    prompt: z.string().min(1).max(16_000).describe('What it shows, and how; for a change, what is to be different.'),
    output: z
      .string()
      .min(1)
      .max(1000)
      .describe('Path to write to; its end is the format: png, jpg, webp or avif. Further ones get a number: a-2.png.'),
    size: z
      .string()
      .regex(/^(?:auto|[1-9]\d{1,3}x[1-9]\d{1,3})$/)
      .optional()
      .describe('Width and height in pixels, as 1024x1024; models take certain ones only.'),
    n: z.int().min(1).max(MAX_PICTURES).optional().describe('How many; 1 when left out.'),
    image: z.string().min(1).max(1024).optional().describe('Path of a picture in the workspace to change.'),
    provider_id: z.string().min(1).max(200).optional().describe('Id or name of a provider account.'),
    model: z.string().min(1).max(200).optional().describe('Name of an image model; with provider_id only.'),
  }),
  effect: 'once',
  approvalOf: ({ n = 1 }) => (n > UNASKED_PICTURES ? 'writes' : 'never'),
  timeoutSeconds: 300,
  label: ({ output }) => `Making ${output}`,
  run: async ({ prompt, output, size, n = 1, image, provider_id: account, model }, context) => {
    const format = pictureFormat(output);
    const paths = pathsOf(output, n);
    for (const path of paths) filePath(path);
    if (model !== undefined && account === undefined)
      throw new ToolFailure('invalid_input', 'Give provider_id with model: the account that has it');
    const source = image === undefined ? undefined : filePath(image);
    const { workspace, media } = context;
    const work = async () => {
      const given = source && (await readAsPng(context, source));
      const isForeign = context.hasForeignText || (source !== undefined && (await workspace.isForeign(source)));
      const made = await media.generateImages({ prompt, n, size, image: given, account, model });
      const files = await context.runLargeWork(async () => {
        const written = [];
        for (const [at, bytes] of made.entries())
          written.push(await writePicture(context, bytes, { path: paths[at] ?? output, format, isForeign }));
        return written;
      });
      return { value: { files, ...(files.length < n && { missing: n - files.length }) }, isForeign };
    };
    return markingFailures(context, () => (source === undefined ? [] : [source]), work);
  },
});

interface Target {
  readonly path: string;
  readonly format: ImageFormat;
  readonly isForeign: boolean;
}

async function writePicture(context: ToolContext, bytes: Buffer, { path, format, isForeign }: Target) {
  const { content, ...sides } = await writtenAs(context, bytes, format);
  await context.workspace.write(filePath(path), content, { overwrite: true, createFolders: true, isForeign });
  return { path, ...sides, bytes: content.length };
}

function pathsOf(output: string, n: number): readonly string[] {
  const dot = output.lastIndexOf('.');
  const [name, end] = [output.slice(0, dot), output.slice(dot)];
  return Array.from({ length: n }, (_, at) => (at === 0 ? output : `${name}-${at + 1}${end}`));
}

async function readAsPng(context: ToolContext, path: WorkspacePath) {
  return context.runLargeWork(async () => {
    const bytes = await context.workspace.read(path, MAX_CONTENT_BYTES);
    return { name: 'image.png', bytes: (await writtenAs(context, bytes, 'png')).content };
  });
}

/** Re-encodes a picture, which fails for anything else and for one that is too large. Its metadata is left out. */
async function writtenAs({ compute }: ToolContext, bytes: Buffer, output: ImageFormat) {
  const job: ImageJob = {
    kind: 'image',
    content: bytes.toString('base64'),
    operations: [],
    output,
    quality: GENERATED_QUALITY,
  };
  const { width, height, content } = convertedSchema.parse(JSON.parse(await compute(job))).after;
  return { width, height, content: Buffer.from(content, 'base64') };
}

const convertedSchema = z.object({
  after: z.object({ width: z.int(), height: z.int(), content: z.string() }),
});
