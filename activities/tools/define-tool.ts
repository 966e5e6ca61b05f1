import type { z } from 'zod';
import type { ApprovalMode } from '../../domain/approvals.ts';
import { shortSchema } from '../../domain/tool-offer/split-offer.ts';
import { parseArguments, toJsonSchema } from './arguments/parse-arguments.ts';
import type { ToolContext } from './context.ts';
import { type RunnableTool, runnableTool } from './runnable-tool.ts';
import type { BuiltinDefinition } from './definition-files/builtin-definition.ts';
import type { CallDescription, RunEffect, ToolOutput } from './tool.ts';

/** A tool that ships with the service. */
export interface BuiltinTool extends RunnableTool {
  readonly definition: BuiltinDefinition;
}

/** The specification of a builtin tool. The types of its arguments are derived from its parameters. */
export interface BuiltinToolSpec<P extends z.ZodObject> extends BuiltinDefinition<P> {
  readonly effect: RunEffect;
  readonly timeoutSeconds: number;
  /** Whether numbers with more digits than JavaScript keeps are texts to it, which others refuse. */
  readonly takesDigitTexts?: boolean;
  /** For tools whose effect depends on the arguments. */
  readonly effectOf?: (args: z.output<P>) => RunEffect;
  /** For tools of whose calls only some wait for a person's decision by default. */
  readonly approvalOf?: (args: z.output<P>) => ApprovalMode;
  /** The label for viewers while it runs, such as `Reading notes.md`; its name by default. */
  readonly label?: (args: z.output<P>) => string;
  /** For tools of which the arguments do not say all that a call does; see `Tool.describe`. */
  readonly describe?: ((args: z.output<P>, context: ToolContext) => Promise<CallDescription>) | undefined;
  /**
   * Does the work. Throws `ToolFailure` when it cannot. It gets the basis that a person has approved, where required:
   * what can change at any time must not be read again.
   */
  readonly run: (args: z.output<P>, context: ToolContext, approvedBasis?: unknown) => Promise<ToolOutput>;
}

/** Makes a tool from its specification. */
export function defineTool<P extends z.ZodObject>({
  run,
  takesDigitTexts = false,
  effectOf,
  approvalOf,
  label,
  describe,
  ...definition
}: BuiltinToolSpec<P>): BuiltinTool {
  const {
    key,
    name,
    description,
    parameters,
    effect,
    approval,
    timeoutSeconds,
    inline = false,
    permission,
    needs,
  } = definition;
  const checkedBy = toJsonSchema(parameters);
  const tool = runnableTool({
    key,
    description,
    parameters: shortSchema(checkedBy),
    checkedBy,
    inline,
    permission,
    runsCommand: needs === 'sandbox',
    prepare: (args) => {
      const checked = parseArguments(key, parameters, args, { takesDigitTexts });
      if ('error' in checked) return checked;
      const { value } = checked;
      return {
        key,
        effect: effectOf?.(value) ?? effect,
        label: label?.(value) ?? name,
        approval: approvalOf?.(value) ?? approval,
        timeoutSeconds,
        describe: describe && (async (context) => describe(value, context)),
        run: async (context, approvedBasis) => run(value, context, approvedBasis),
      };
    },
  });
  return { ...tool, definition };
}
