import { z } from 'zod';
import { IMAGE_OPERATIONS, type ImageFormat, type ImageJob, MAX_CONTENT_BYTES } from '../../compute/job.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { filePath } from '../../workspace/workspace-path.ts';
import { markingFailures } from '../data/compute-over-file.ts';

const QUALITY = 85;
const pixels = z.int().min(1).max(16_384);
const place = z.int().min(0).max(16_384);

/** Works on pictures. Repeated, it writes the same picture again. */
export const imageProcess = defineTool({
  key: 'image_process',
  name: 'Process image',
  description:
    'Tells format, size and metadata of a PNG, JPEG, WebP, AVIF or GIF file, or writes it anew to `output`: resized, cropped, turned, or in another format. What is written has no metadata, such as the place of a photo.',
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
          x: place.optional().describe('For crop, from the left.'),
          y: place.optional().describe('For crop, from the top.'),
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
export function pictureFormat(output: string): ImageFormat {
  const format = FORMATS[output.slice(output.lastIndexOf('.') + 1).toLowerCase()];
  if (format === undefined) throw new ToolFailure('invalid_input', 'output must end with .png, .jpg, .webp or .avif');
  return format;
}
