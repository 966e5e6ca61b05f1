import type { z } from 'zod';
import { parseArguments } from './arguments/parse-arguments.ts';
import { toJsonSchema } from './arguments/to-json-schema.ts';
import type { ToolContext } from './context.ts';
import { type RunnableTool, runnableTool } from './runnable-tool.ts';
import type { BuiltinDefinition } from './definition-files/builtin-definition.ts';
import type { RunEffect, ToolOutput } from './tool.ts';

/** A tool that ships with the service. */
export interface BuiltinTool extends RunnableTool {
  readonly definition: BuiltinDefinition;
}

/** All that a builtin tool is. The types of its arguments come from its parameters. */
export interface BuiltinToolSpec<P extends z.ZodObject> extends BuiltinDefinition<P> {
  readonly effect: RunEffect;
  readonly timeoutSeconds: number;
  /** For tools whose effect depends on the arguments. */
  readonly effectOf?: (args: z.output<P>) => RunEffect;
  /** What viewers read while it runs, such as `Reading notes.md`; its name when absent. */
  readonly label?: (args: z.output<P>) => string;
  /** Does the work. Throws `ToolFailure` for what it cannot do. */
  readonly run: (args: z.output<P>, context: ToolContext) => Promise<ToolOutput>;
}

/** Makes a tool of its definition and of what it does. */
export function defineTool<P extends z.ZodObject>({
  run,
  effectOf,
  label,
  ...definition
}: BuiltinToolSpec<P>): BuiltinTool {
  const { key, name, description, parameters, effect, timeoutSeconds, inline = false, permission } = definition;
  const tool = runnableTool({
    key,
    description,
    parameters: toJsonSchema(parameters),
    inline,
    permission,
    prepare: (args) => {
      const checked = parseArguments(key, parameters, args);
      if ('error' in checked) return checked;
      const { value } = checked;
      return {
        key,
        effect: effectOf?.(value) ?? effect,
        label: label?.(value) ?? name,
        timeoutSeconds,
        run: async (context) => run(value, context),
      };
    },
  });
  return { ...tool, definition };
}
