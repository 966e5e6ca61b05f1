import { executeCall, type PreparedCall } from './call/execute-call.ts';
import { toolError } from './call/tool-error.ts';
import type { CallError, Tool, ToolArguments } from './tool.ts';

/** A call whose arguments fit, and what viewers read while it runs. */
export interface RunnableCall extends PreparedCall {
  readonly label: string;
}

/** A tool whose calls the worker runs. */
export interface RunnableTool extends Tool {
  /** Checks arguments; returns the call that they make. */
  prepare(args: unknown): RunnableCall | CallError;
  run: NonNullable<Tool['run']>;
}

/** Completes a tool that can check the arguments of a call and run it. */
export function runnableTool(tool: Omit<RunnableTool, 'plan' | 'run'>): RunnableTool {
  return {
    ...tool,
    plan: async (calls) => calls.map((args) => planOf(tool.prepare(args))),
    run: async (args: ToolArguments, options) => {
      // A deployment may lie between the plan and this.
      const call = tool.prepare(args);
      if ('error' in call) return { status: 'error', result: toolError(call.error.kind, call.error.message) };
      return executeCall(call, options);
    },
  };
}

function planOf(call: RunnableCall | CallError) {
  return 'error' in call ? call : { effect: call.effect, label: call.label };
}
