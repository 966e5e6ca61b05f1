import { z } from 'zod';
import { defineTool } from '../../define-tool.ts';
import { computeOverDocument, MAX_CHARACTERS, SHOWN_CHARACTERS } from './document-files.ts';

const MAX_ROWS = 100_000;

/** Reads the cells of a workbook. */
export const xlsxRead = defineTool({
  key: 'xlsx_read',
  name: 'Read Excel file',
  description:
    'Reads rows of a sheet of an Excel file (.xlsx) in the workspace, and names its sheets. Formulas are read as their last results; dates, times, durations, errors, numbers filled up with zeros and whole numbers too long to be exact are texts. The result says with which `range` to go on.',
  category: 'documents',
  parameters: z.strictObject({
    file: z.string().min(1).max(1024).describe('Path of the file.'),
    sheet: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Name of the sheet, or its number from 1; the first when left out.'),
    range: z.string().min(1).max(40).optional().describe('Such as `A1:D20`, `B:C` or `5:90`; all when left out.'),
    header: z
      .boolean()
      .optional()
      .describe('Whether the first row of the range names the columns: rows are then objects, else lists (default).'),
    limit: z.int().min(1).max(MAX_ROWS).optional().describe('Most rows; as many as can be shown when left out.'),
  }),
  effect: 'read',
  timeoutSeconds: 60,
  label: ({ file }) => `Reading ${file}`,
  run: async ({ file, sheet, range, header = false, limit }, context) => {
    const { result, isForeign } = await computeOverDocument(file, context, {
      kind: 'xlsx_read',
      sheet,
      range,
      header,
      limit: limit ?? MAX_ROWS,
      maxCharacters: limit === undefined ? SHOWN_CHARACTERS : MAX_CHARACTERS,
    });
    return { value: result, isForeign };
  },
});
