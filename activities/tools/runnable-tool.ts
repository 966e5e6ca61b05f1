import type { ApprovalMode } from '../../domain/approvals/index.ts';
import { MAY_HAVE_TAKEN_EFFECT } from '../../domain/tool-calls/index.ts';
import type { CallOutcome } from './call/call-outcome.ts';
import { executeCall, type PreparedCall } from './call/execute-call.ts';
import { toolError } from './call/tool-error.ts';
import type { ToolContext } from './context.ts';
import { ToolFailure } from './tool-failure.ts';
import type { CallDescription, CallError, Tool, ToolArguments } from './tool.ts';

/** A call with valid arguments, and its label for viewers. */
export interface RunnableCall extends PreparedCall {
  readonly label: string;
  /** When it waits for a person's decision; never by default. */
  readonly approval?: ApprovalMode | undefined;
  /** See `Tool.describe`. */
  readonly describe?: ((context: ToolContext) => Promise<CallDescription>) | undefined;
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
      return (await call.describe?.(context)) ?? { details: [], basis: null };
    },
    run: async (args: ToolArguments, options) => {
      // A deployment may lie between the plan and this.
      const call = tool.prepare(args);
      if ('error' in call) return outcomeOf(call, options.mayBeDone === true);
      return executeCall(call, options);
    },
  };
}

function outcomeOf({ error: { kind, message } }: CallError, mayBeDone: boolean): CallOutcome {
  if (!mayBeDone) return { status: 'error', result: toolError(kind, message) };
  return { status: 'unknown', result: toolError(kind, `${message}; an earlier attempt ${MAY_HAVE_TAKEN_EFFECT}`) };
}

function planOf(call: RunnableCall | CallError) {
  return 'error' in call ? call : { effect: call.effect, label: call.label, approval: call.approval };
}
