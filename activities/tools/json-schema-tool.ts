import { checkBySchema } from './arguments/json-schema-arguments.ts';
import type { ToolContext } from './context.ts';
import { type RunnableTool, runnableTool } from './runnable-tool.ts';
import type { RunEffect, Tool, ToolArguments, ToolOutput, ToolParameters } from './tool.ts';

/** A tool whose parameters are a foreign JSON Schema. */
interface JsonSchemaTool extends Pick<Tool, 'key' | 'description' | 'parameters' | 'inline' | 'permission'> {
  /** The part of the parameters that arguments are checked by, where that is not all of them. */
  readonly checkedBy?: ToolParameters;
  readonly effect: RunEffect;
  readonly timeoutSeconds: number;
  /** The label for viewers while it runs. */
  readonly label: string;
  /** Does the work. Throws `ToolFailure` when it cannot. */
  readonly run: (args: ToolArguments, context: ToolContext) => Promise<ToolOutput>;
}

/** Makes a tool from a definition that comes with its own JSON Schema. */
export function jsonSchemaTool({
  checkedBy,
  effect,
  timeoutSeconds,
  label,
  run,
  ...tool
}: JsonSchemaTool): RunnableTool {
  const { key, parameters } = tool;
  return runnableTool({
    ...tool,
    prepare: (args) => {
      const checked = checkBySchema(key, checkedBy ?? parameters, args);
      if ('error' in checked) return checked;
      return { key, effect, label, timeoutSeconds, run: async (context) => run(checked.value, context) };
    },
  });
}
