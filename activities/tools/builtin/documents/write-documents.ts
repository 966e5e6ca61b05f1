import { z } from 'zod';
import { PAGE_SIZES } from '../../compute/job.ts';
import { defineTool } from '../../define-tool.ts';
import { CONTENT_PARAMETERS, requireContent, writeDocument } from './document-files.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { propertiesParameter } from '../parameters.ts';

/** Writes a PDF. Repeated, it writes the same again. */
export const pdfCreate = defineTool({
  key: 'pdf_create',
  name: 'Create PDF',
  description:
    'Writes a PDF with page numbers to the workspace. Its fonts have Latin, Greek, Cyrillic, Armenian, Georgian, Chinese, Japanese, Korean and symbols; for other scripts use `docx_create`.',
  category: 'documents',
  parameters: z.strictObject({
    ...CONTENT_PARAMETERS,
    page_size: z.enum(PAGE_SIZES).optional().describe('A4 when left out.'),
    landscape: z.boolean().optional().describe('Whether pages lie on their long side.'),
  }),
  effect: 'keyed',
  timeoutSeconds: 60,
  label: ({ file }) => `Writing ${file}`,
  run: async ({ file, markdown, blocks, title = '', page_size: pageSize = 'A4', landscape = false }, context) => {
    requireContent({ markdown, blocks });
    const job = { kind: 'pdf_create', markdown, blocks, title, pageSize, landscape } as const;
    return writeDocument({ file, extension: '.pdf', job }, context);
  },
});

const MAX_VALUES = 200;

/** Writes a Word document. Repeated, it writes the same again. */
export const docxCreate = defineTool({
  key: 'docx_create',
  name: 'Create Word document',
  description:
    'Writes a Word document (.docx) to the workspace, from scratch or from a template: a Word document with placeholders such as `{{content}}`, `{{title}}` and others that `values` fills in.',
  category: 'documents',
  parameters: z.strictObject({
    ...CONTENT_PARAMETERS,
    template: z.string().min(1).max(1024).optional().describe('Path of the template.'),
    values: propertiesParameter(z.string().max(20_000), MAX_VALUES).optional().describe('Texts by placeholder.'),
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

const MAX_SHEETS = 50;
const MAX_COLUMNS = 1_000;
const MAX_ROWS = 100_000;

const sheet = z.strictObject({
  name: z.string().max(100).optional(),
  rows: z
    .array(z.unknown())
    .max(MAX_ROWS)
    .describe(
      'Lists of cells, or objects whose names become the first row. A cell is a text, a number, a boolean, null, a date such as `2026-11-23` or `2026-11-23 14:00`, or `{"formula": "SUM(B2:B9)"}`.',
    ),
  header: z.boolean().optional().describe('Whether the first row is a heading that stays in view; true for objects.'),
  widths: z.array(z.number().min(1).max(200)).max(MAX_COLUMNS).optional().describe('In characters, by column.'),
  formats: z
    .array(z.string().max(100))
    .max(MAX_COLUMNS)
    .optional()
    .describe('Formats of numbers and dates such as `#,##0.00`, by column.'),
});

/** Writes a workbook. Repeated, it writes the same again. */
export const xlsxWrite = defineTool({
  key: 'xlsx_write',
  name: 'Write Excel file',
  description:
    'Writes sheets of rows to an Excel file (.xlsx) in the workspace. Texts stay texts, also those that begin with `=`. A file that is there is replaced.',
  category: 'documents',
  parameters: z.strictObject({
    file: z.string().min(1).max(1024).describe('Path to write to.'),
    sheets: z.array(sheet).min(1).max(MAX_SHEETS).describe('The sheets, in their order.'),
  }),
  effect: 'keyed',
  timeoutSeconds: 60,
  label: ({ file }) => `Writing ${file}`,
  run: async ({ file, sheets }, context) =>
    writeDocument({ file, extension: '.xlsx', job: { kind: 'xlsx_write', sheets } }, context),
});
