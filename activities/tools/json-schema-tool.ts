import type { ApprovalMode } from '../../domain/approvals/index.ts';
import { checkBySchema } from './arguments/json-schema-arguments.ts';
import type { ToolContext } from './context.ts';
import { type RunnableTool, runnableTool } from './runnable-tool.ts';
import type { RunEffect, Tool, ToolArguments, ToolOutput } from './tool.ts';

/** A tool whose parameters are a foreign JSON Schema. */
interface JsonSchemaTool extends Pick<
  Tool,
  'key' | 'description' | 'parameters' | 'checkedBy' | 'listedAs' | 'inline' | 'permission'
> {
  readonly effect: RunEffect;
  /** When its calls wait for a person's decision; never by default. */
  readonly approval?: ApprovalMode;
  readonly timeoutSeconds: number;
  /** The label for viewers while it runs. */
  readonly label: string;
  /** See `Tool.describe`. */
  readonly describe?: Tool['describe'];
  /** Does the work. Throws `ToolFailure` when it cannot. */
  readonly run: (args: ToolArguments, context: ToolContext) => Promise<ToolOutput>;
}

/** Makes a tool from a definition that comes with its own JSON Schema. */
export function jsonSchemaTool({
  effect,
  approval,
  timeoutSeconds,
  label,
  describe,
  run,
  ...tool
}: JsonSchemaTool): RunnableTool {
  const { key, parameters, checkedBy = parameters } = tool;
  return runnableTool({
    ...tool,
    prepare: (args) => {
      const checked = checkBySchema(key, checkedBy, args);
      if ('error' in checked) return checked;
      return {
        key,
        effect,
        label,
        approval,
        timeoutSeconds,
        describe: describe && (async (context) => describe(checked.value, context)),
        run: async (context) => run(checked.value, context),
      };
    },
  });
}
