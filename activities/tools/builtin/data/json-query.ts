import { z } from 'zod';
import type { ComputeJob } from '../../compute/job.ts';
import type { ToolContext } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import type { ToolOutput } from '../../tool.ts';
import { filePath, type WorkspacePath } from '../../workspace/workspace-path.ts';
import { markingFailures } from '../marking-failures.ts';

const MAX_BYTES = 10_000_000;

/** Queries given JSON, or JSON in a file. */
export const jsonQuery = defineTool({
  key: 'json_query',
  name: 'JSON query',
  description:
    'Filters, reshapes or calculates over JSON with a JSONata expression. Give either `data` or the path of a JSON `file` in the workspace. ' +
    'Use it to take what matters out of large JSON without reading all of it.',
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
  run: async ({ data, file, expression }, context) => {
    if ((data === undefined) === (file === undefined)) {
      throw new ToolFailure('invalid_input', 'Give either data or file');
    }
    if (file === undefined) return { value: await query({ json: JSON.stringify(data), expression }, context) };
    return queryFile(filePath(file), expression, context);
  },
});

async function queryFile(path: WorkspacePath, expression: string, context: ToolContext): Promise<ToolOutput> {
  const { workspace } = context;
  let isForeign = false;
  // Base64 has a predictable length; control characters in JSON take six times theirs.
  const read = async () => {
    const json = (await workspace.read(path, MAX_BYTES)).toString('base64');
    // Checked after reading and before there is a result to hold: writers set the mark before the content.
    isForeign = await workspace.isForeign(path);
    return { json, isBase64: true, expression };
  };
  return markingFailures(
    context,
    () => [path],
    async () => ({ value: await query(read, context), isForeign }),
  );
}

type Query = Omit<Extract<ComputeJob, { kind: 'json_query' }>, 'kind'>;

async function query(given: Query | (() => Promise<Query>), context: ToolContext): Promise<unknown> {
  const job = (asked: Query) => ({ kind: 'json_query' as const, ...asked });
  const text = await context.compute(typeof given === 'function' ? async () => job(await given()) : job(given));
  // Anything but text is shown as JSON: as objects it may be far larger.
  return text.startsWith('"') ? JSON.parse(text) : text;
}
