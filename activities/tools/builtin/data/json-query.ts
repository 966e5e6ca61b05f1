import { compute, type ComputeJob } from '../../compute/index.ts';
import { markingFailures } from '../marking-failures.ts';
import { ToolFailure } from '../../tool-failure.ts';
import type { ToolContext, ToolImplementation, ToolOutput } from '../../tool.ts';
import { filePath, type WorkspacePath } from '../../workspace/index.ts';

interface Arguments {
  readonly data?: unknown;
  readonly file?: string;
  readonly expression: string;
}

const MAX_BYTES = 10_000_000;

/** Queries JSON that is given or stands in a file. */
export const jsonQuery: ToolImplementation = {
  run: async (given, context) => {
    const args = given as unknown as Arguments;
    const { data, file, expression } = args;
    if ((data === undefined) === (file === undefined)) {
      throw new ToolFailure('invalid_input', 'Give either data or file');
    }
    if (file === undefined) return { value: await query({ json: JSON.stringify(data), expression }, context) };
    return queryFile(filePath(file), expression, context);
  },
};

async function queryFile(path: WorkspacePath, expression: string, context: ToolContext): Promise<ToolOutput> {
  const { workspace } = context;
  let isForeign = false;
  // Base64 is short whatever the file holds; the JSON of control characters is six times as long.
  const read = async () => {
    const json = (await workspace.read(path, MAX_BYTES)).toString('base64');
    // When it was read, and before there is a result to hold: who writes marks first and writes then.
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
  const text = await compute(typeof given === 'function' ? async () => job(await given()) : job(given), context);
  // Anything but a text is shown as the JSON that it is: it may be far larger as objects.
  return text.startsWith('"') ? JSON.parse(text) : text;
}
