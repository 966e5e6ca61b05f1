import type { ApprovalMode } from '../../domain/approvals.ts';
import { checkBySchema } from './arguments/parse-arguments.ts';
import { describeCall, executeCall, type PreparedCall, toolError } from './call/execute-call.ts';
import type { ToolContext } from './context.ts';
import { ToolFailure } from './tool-failure.ts';
import type { CallError, RunEffect, Tool, ToolArguments, ToolOutput } from './tool.ts';

/** A call with valid arguments, and its label for viewers. */
export interface RunnableCall extends PreparedCall {
  readonly label: string;
  /** When it waits for a person's decision; never by default. */
  readonly approval?: ApprovalMode | undefined;
}

/** A tool whose calls the worker runs. */
export interface RunnableTool extends Tool {
  /** Validates arguments; returns the call. */
  prepare(args: unknown): RunnableCall | CallError;
  run: NonNullable<Tool['run']>;
}

/** Completes a tool that can check the arguments of a call and run it. */
export function runnableTool(tool: Omit<RunnableTool, 'plan' | 'describe' | 'run'>): RunnableTool {
  return {
    ...tool,
    plan: async (calls) => calls.map((args) => planOf(tool.prepare(args))),
    describe: async (args, context) => {
      const call = tool.prepare(args);
      if ('error' in call) throw new ToolFailure(call.error.kind, call.error.message);
      return describeCall(call, context);
    },
    run: async (args: ToolArguments, options) => {
      // A deployment may lie between the plan and this.
      const call = tool.prepare(args);
      if ('error' in call) return { status: 'error', result: toolError(call.error.kind, call.error.message) };
      return executeCall(call, options);
    },
  };
}

function planOf(call: RunnableCall | CallError) {
  return 'error' in call ? call : { effect: call.effect, label: call.label, approval: call.approval };
}

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
