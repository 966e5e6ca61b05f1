import { z } from 'zod';
import { defineTool } from '../../define-tool.ts';
import { writeDocument } from './document-files.ts';

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
