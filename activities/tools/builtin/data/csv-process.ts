import { z } from 'zod';
import { defineTool } from '../../define-tool.ts';
import { filePath } from '../../workspace/workspace-path.ts';
import { propertiesParameter } from '../parameters.ts';
import { computeOver } from './compute-over-file.ts';

const MAX_NAMES = 200;
/** Leaves room for the notes beside it in a result. */
const SHOWN_CHARACTERS = 14_000;
const MAX_FILE_CHARACTERS = 3_500_000;

/** Calculates with tables, and writes the results. Repeated, it writes the same again. */
export const csvProcess = defineTool({
  key: 'csv_process',
  name: 'Process CSV',
  description:
    'Filters, selects and groups the rows of a CSV or TSV table, whose first row names the columns. Give either the path of a `file` in the workspace or the `text`. ' +
    'Without anything else it shows the first rows. Use it to count, sum and compare instead of reading a table by eye.',
  category: 'data',
  parameters: z.strictObject({
    file: z.string().min(1).max(1024).optional().describe('Path of a CSV or TSV file in the workspace.'),
    text: z.string().optional().describe('The table itself.'),
    select: z.array(z.string()).min(1).max(MAX_NAMES).optional().describe('Columns of the result, in this order.'),
    where: propertiesParameter(z.unknown(), MAX_NAMES)
      .optional()
      .describe(
        'Which rows to take, by column: a value, a list of values, or operators, such as `{"country": "DE", "price": {"gte": 10, "lt": 20}}`. All must match. Operators: eq, ne, gt, gte, lt, lte, contains, in, empty (true or false).',
      ),
    group_by: z
      .array(z.string())
      .max(MAX_NAMES)
      .optional()
      .describe('Columns to group by; the result has one row for each group, in the order of their values.'),
    aggregate: propertiesParameter(z.string(), MAX_NAMES)
      .optional()
      .describe(
        'What to calculate for each group, or for all rows: column of the result and its calculation, such as `{"orders": "count()", "total": "sum(price)"}`. Also avg, min, max, count(column) and distinct(column).',
      ),
    output: z
      .string()
      .min(1)
      .max(1024)
      .optional()
      .describe('Path of a file to write the result to, `.tsv` with tabs; otherwise the first rows are answered.'),
  }),
  effect: 'keyed',
  effectOf: ({ output }) => (output === undefined ? 'read' : 'keyed'),
  timeoutSeconds: 30,
  inline: true,
  label: ({ file, output }) => (output === undefined ? `Reading ${file ?? 'a table'}` : `Writing ${output}`),
  run: async ({ file, text, output, select, where = {}, group_by: groupBy = [], aggregate = {} }, context) => {
    const target = output === undefined ? undefined : filePath(output);
    const { json, isForeign, notice } = await computeOver({ file, text }, context, (content) => ({
      kind: 'csv',
      content,
      select,
      where,
      groupBy,
      aggregate,
      fileDelimiter: output === undefined ? undefined : /\.(?:tsv|tab)$/i.test(output) ? '\t' : ',',
      maxCharacters: output === undefined ? SHOWN_CHARACTERS : MAX_FILE_CHARACTERS,
    }));
    const result = resultSchema.parse(JSON.parse(json));
    if (target === undefined) return { value: present(result), isForeign, notice };
    const bytes = Buffer.from(result.csv);
    const options = { overwrite: true, createFolders: true, isForeign: isForeign || context.hasForeignText };
    await context.workspace.write(target, bytes, options);
    return { value: { output, rows: result.rows, of: result.read, bytes: bytes.length }, notice };
  },
});

const resultSchema = z.object({ csv: z.string(), read: z.int(), rows: z.int(), shown: z.int() });

function present({ csv, read, rows, shown }: z.output<typeof resultSchema>): string {
  const counts = `${rows} rows, made of ${read}.`;
  return shown === rows
    ? `${csv}[${counts}]`
    : `${csv}[${counts} Only the first ${shown} are shown; narrow the rows, group them, or write them to a file with output.]`;
}
