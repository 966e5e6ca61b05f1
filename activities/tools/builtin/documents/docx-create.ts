import { z } from 'zod';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { propertiesParameter } from '../parameters.ts';
import { CONTENT_PARAMETERS, requireContent, writeDocument } from './document-files.ts';

const MAX_VALUES = 200;

/** Writes a Word document. Repeated, it writes the same again. */
export const docxCreate = defineTool({
  key: 'docx_create',
  name: 'Create Word document',
  description:
    'Writes a Word document (.docx) to the workspace, of its own or of a template: a Word document with places such as `{{content}}`, `{{title}}` and others that `values` fills in.',
  category: 'documents',
  parameters: z.strictObject({
    ...CONTENT_PARAMETERS,
    template: z.string().min(1).max(1024).optional().describe('Path of the template.'),
    values: propertiesParameter(z.string().max(20_000), MAX_VALUES).optional().describe('Texts by place.'),
  }),
  effect: 'keyed',
  timeoutSeconds: 60,
  label: ({ file }) => `Writing ${file}`,
  run: async ({ file, markdown, blocks, title = '', template, values = {} }, context) => {
    if (template === undefined && Object.keys(values).length > 0)
      throw new ToolFailure('invalid_input', 'values fill in a template; give one, or put them into the content');
    // A template may be all of the content.
    if (template === undefined || (markdown !== undefined && blocks !== undefined))
      requireContent({ markdown, blocks });
    const job = { kind: 'docx_create', markdown, blocks, title, values } as const;
    return writeDocument({ file, extension: '.docx', job, template }, context);
  },
});
