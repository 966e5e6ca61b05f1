import { compute } from '../compute/index.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { ToolContext, ToolImplementation } from '../tool.ts';
import { filePath } from '../workspace/index.ts';

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
    const { expression } = args;
    const query = async () => ({ kind: 'json_query' as const, json: await readData(args, context), expression });
    const text = await compute(args.file === undefined ? await query() : query, context);
    // Anything but a text is shown as the JSON that it is: it may be far larger as objects.
    const value: unknown = text.startsWith('"') ? JSON.parse(text) : text;
    const { file } = args;
    return { value, isUntrusted: file !== undefined && (await context.workspace.isForeign(filePath(file))) };
  },
};

async function readData({ data, file }: Arguments, { workspace }: ToolContext): Promise<string> {
  if ((data === undefined) === (file === undefined)) {
    throw new ToolFailure('invalid_input', 'Give either data or file');
  }
  return file === undefined ? JSON.stringify(data) : (await workspace.read(filePath(file), MAX_BYTES)).toString();
}
