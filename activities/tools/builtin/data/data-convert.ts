import { z } from 'zod';
import { DATA_FORMATS } from '../../compute/job.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { computeOver } from './compute-over-file.ts';

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
    file: z.string().min(1).max(1024).optional().describe('Path of a file in the workspace that contains it.'),
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
    const { text: converted, errors = [] } = resultSchema.parse(JSON.parse(json));
    if (errors.length > 0) return { value: { valid: false, errors }, ...source };
    return { value: converted ?? { valid: true }, ...source };
  },
});

const resultSchema = z.object({
  text: z.string().optional(),
  errors: z.array(z.object({ at: z.string(), message: z.string() })).optional(),
});
