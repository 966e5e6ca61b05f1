import { checkBySchema } from './arguments/json-schema-arguments.ts';
import type { ToolContext } from './context.ts';
import { type RunnableTool, runnableTool } from './runnable-tool.ts';
import type { RunEffect, Tool, ToolArguments, ToolOutput } from './tool.ts';

/** A tool whose parameters are a JSON Schema that somebody else has written. */
interface JsonSchemaTool extends Pick<Tool, 'key' | 'description' | 'parameters' | 'inline' | 'permission'> {
  readonly effect: RunEffect;
  readonly timeoutSeconds: number;
  /** What viewers read while it runs. */
  readonly label: string;
  /** Does the work. Throws `ToolFailure` for what it cannot do. */
  readonly run: (args: ToolArguments, context: ToolContext) => Promise<ToolOutput>;
}

/** Makes a tool of a definition that comes with its own JSON Schema. */
export function jsonSchemaTool({ effect, timeoutSeconds, label, run, ...tool }: JsonSchemaTool): RunnableTool {
  const { key, parameters } = tool;
  return runnableTool({
    ...tool,
    prepare: (args) => {
      const checked = checkBySchema(key, parameters, args);
      if ('error' in checked) return checked;
      return { key, effect, label, timeoutSeconds, run: async (context) => run(checked.value, context) };
    },
  });
}
