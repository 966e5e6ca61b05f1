import type { TenantDatabase } from '../../db/core/index.ts';
import type { Effect } from '../../domain/tool-calls/index.ts';
import type { GuardedHttp } from '../core/guarded-http.ts';
import type { Workspace } from './workspace/index.ts';

/** Arguments that the tool's JSON Schema has passed. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** What a tool works with. It reaches nothing else of the outside world. */
export interface ToolContext {
  readonly orgId: string;
  readonly userId: string;
  readonly agentId: string;
  readonly chatId: string;
  /** The same each time this call is repeated. */
  readonly idempotencyKey: string;
  /** Whether the chat has read text from outside: what the tool is given to keep may repeat it. */
  readonly hasForeignText: boolean;
  readonly workspace: Workspace;
  /** Reaches the organization's records only. */
  readonly database: TenantDatabase;
  readonly http: GuardedHttp;
  /** Aborts when the turn is interrupted, the time is up, or the worker ends; the tool then stops as soon as it can. */
  readonly signal: AbortSignal;
}

/** What a tool answers: text, or any JSON value. */
export interface ToolOutput {
  readonly value: unknown;
  /** Set for content from outside, which the model is told not to take for instructions. */
  readonly isForeign?: boolean;
}

/** What a tool does, beside its definition (`builtin/tools/<key>/tool.json`). Throws `ToolFailure` for what it cannot do. */
export interface ToolImplementation {
  readonly run: (args: ToolArguments, context: ToolContext) => Promise<ToolOutput>;
  /** For tools whose effect depends on the arguments; the definition's effect is the worst case. */
  readonly effectOf?: (args: ToolArguments) => Exclude<Effect, 'agent'>;
  /** What a viewer reads while it runs, such as `Reading notes.md`; the definition's name when absent. */
  readonly label?: (args: ToolArguments) => string;
}
