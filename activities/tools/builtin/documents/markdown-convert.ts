import { z } from 'zod';
import { TEXT_FORMATS } from '../../compute/job.ts';
import { defineTool } from '../../define-tool.ts';
import { computeOver } from '../data/compute-over-file.ts';

/** Converts between Markdown and HTML. */
export const markdownConvert = defineTool({
  key: 'markdown_convert',
  name: 'Convert Markdown',
  description:
    'Converts HTML to Markdown, Markdown to clean HTML, or either to plain text. Give either the path of a `file` in the workspace or the `text`. Scripts and event handlers are left out.',
  category: 'documents',
  parameters: z.strictObject({
    text: z.string().optional().describe('HTML or Markdown.'),
    file: z.string().min(1).max(1024).optional().describe('Path of a file that holds it.'),
    to: z.enum(TEXT_FORMATS).describe('Format to convert it to.'),
  }),
  effect: 'read',
  timeoutSeconds: 30,
  inline: true,
  label: ({ to }) => `Converting to ${to}`,
  run: async ({ text, file, to }, context) => {
    const { json, ...source } = await computeOver({ text, file }, context, (content) => ({
      kind: 'markdown',
      content,
      to,
    }));
    return { value: JSON.parse(json) as unknown, ...source };
  },
});
