import { z } from 'zod';
import { defineTool } from '../../define-tool.ts';
import { filePath } from '../../workspace/workspace-path.ts';
import { propertiesParameter } from '../parameters.ts';
import { computeOver, computeOverFile } from './compute-over-file.ts';
import { DATA_FORMATS } from '../../compute/job.ts';
import { ToolFailure } from '../../tool-failure.ts';

const MAX_NAMES = 200;
/** Leaves room for the notes beside it in a result. */
const SHOWN_CHARACTERS = 14_000;
const MAX_FILE_CHARACTERS = 3_500_000;

/** Calculates with tables, and writes what comes of them. Repeated, it writes the same again. */
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
        'Which rows to take, by column: a value, a list of values, or operators, such as `{"country": "DE", "price": {"gte": 10, "lt": 20}}`. All must hold. Operators: eq, ne, gt, gte, lt, lte, contains, in, empty (true or false).',
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

/** Converts data between formats, and checks it by a JSON Schema. */
export const dataConvert = defineTool({
  key: 'data_convert',
  name: 'Convert data',
  description:
    'Converts data between JSON, YAML, TOML, XML and CSV, or checks it by a JSON Schema, or both. Give either the path of a `file` in the workspace or the `text`. ' +
    'Attributes of XML have names that begin with `@`. Values in CSV and XML stay texts.',
  category: 'data',
  parameters: z.strictObject({
    from: z.enum(DATA_FORMATS).describe('Format of the data.'),
    to: z.enum(DATA_FORMATS).optional().describe('Format to convert it to; left out, the data is only checked.'),
    text: z.string().optional().describe('The data itself.'),
    file: z.string().min(1).max(1024).optional().describe('Path of a file in the workspace that holds it.'),
    schema: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        'A JSON Schema that the data must fit; where it does not, the answer says so and nothing is converted.',
      ),
  }),
  effect: 'read',
  timeoutSeconds: 30,
  inline: true,
  label: ({ from, to }) => (to === undefined ? `Checking ${from}` : `Converting ${from} to ${to}`),
  run: async ({ from, to, text, file, schema }, context) => {
    if (to === undefined && schema === undefined) throw new ToolFailure('invalid_input', 'Give to, or schema, or both');
    const { json, ...source } = await computeOver({ text, file }, context, (content) => ({
      kind: 'convert',
      content,
      from,
      to,
      schema,
    }));
    const { text: converted, errors = [] } = convertedSchema.parse(JSON.parse(json));
    if (errors.length > 0) return { value: { valid: false, errors }, ...source };
    return { value: converted ?? { valid: true }, ...source };
  },
});

const convertedSchema = z.object({
  text: z.string().optional(),
  errors: z.array(z.object({ at: z.string(), message: z.string() })).optional(),
});

/** Queries given JSON, or JSON in a file. */
export const jsonQuery = defineTool({
  key: 'json_query',
  name: 'JSON query',
  description:
    'Filters, reshapes or calculates over JSON with a JSONata expression. Give either `data` or the path of a JSON `file` in the workspace. ' +
    'Use it to take what matters out of large JSON without reading all of it. Whole numbers above 9007199254740991 are texts to the expression.',
  category: 'data',
  parameters: z.strictObject({
    data: z.unknown().optional().describe('The JSON value to query.'),
    file: z.string().min(1).max(1024).optional().describe('Path of a JSON file in the workspace.'),
    expression: z
      .string()
      .min(1)
      .max(10_000)
      .describe('JSONata expression, such as `orders[total > 100].{"id": id, "total": total}` or `$sum(items.price)`.'),
  }),
  effect: 'read',
  timeoutSeconds: 20,
  inline: true,
  takesDigitTexts: true,
  run: async ({ data, file, expression }, context) => {
    if ((data === undefined) === (file === undefined)) {
      throw new ToolFailure('invalid_input', 'Give either data or file');
    }
    if (file === undefined) {
      const json = await context.compute({ kind: 'json_query', json: JSON.stringify(data), expression });
      return { value: shown(json) };
    }
    const { json, ...source } = await computeOverFile(file, context, (base64) => ({
      kind: 'json_query',
      json: base64,
      isBase64: true,
      expression,
    }));
    return { value: shown(json), ...source };
  },
});

// Anything but text is shown as JSON: as objects it may be far larger.
function shown(json: string): unknown {
  return json.startsWith('"') ? JSON.parse(json) : json;
}
