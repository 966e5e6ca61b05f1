import { z } from 'zod';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { computeOverFile } from './compute-over-file.ts';

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
