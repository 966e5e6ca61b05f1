import type { ToolAnnotations } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { PermissionKey } from '../../domain/permissions/keys.ts';
import type { ResourceKey } from '../../domain/resources.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import type { SseReply } from '../http/sse-reply.ts';
import { createHash } from 'node:crypto';

/** A call of a tool by an MCP client. */
export interface ServedCall {
  readonly caller: OrgCaller;
  readonly context: ApiContext;
  /** Aborts when nobody reads the answer any more. */
  readonly signal: AbortSignal;
  readonly reply: Pick<SseReply, 'hasHungUp'>;
  /** Whether hanging up cancels the call, as in the protocol since 2026; before, clients send a notification. */
  readonly isCancelledByHangUp: boolean;
  /** Identifies the call in a cancelling notification; undefined without a session. */
  readonly digest: Buffer | undefined;
  /** Whether the client has cancelled the call. */
  isCancelled(): boolean;
  /** Marks the call as cancelled by the client: it is not answered. */
  cancel(): void;
  /** Sends the client the progress of the call, if it has asked for that. */
  progress(message: string): void;
}

/** The answer of a tool. */
interface ServedAnswer<O extends z.ZodType> {
  /** For clients that read text; the JSON of the data unless given. */
  readonly text?: string;
  readonly data: z.input<O>;
  readonly isError?: boolean;
}

/** A tool that MCP clients are offered. */
export interface ServedTool<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The resource and action for the audit log. */
  readonly resource: ResourceKey;
  readonly action: string;
  /** Whether successes are in the audit log, as those of the route that does the same. */
  readonly isAudited?: true;
  /** The members who are offered it. */
  readonly access: 'in_org' | PermissionKey;
  readonly input: I;
  readonly output: O;
  readonly annotations: ToolAnnotations;
  run(args: z.output<I>, call: ServedCall): Promise<ServedAnswer<O>>;
}

/** Declares a tool. */
export function defineServedTool<I extends z.ZodType, O extends z.ZodType>(tool: ServedTool<I, O>): ServedTool {
  return tool;
}

/** The hints of a tool that only reads. */
export const READS = { readOnlyHint: true, openWorldHint: false } as const;

const sessionSchema = z.uuid();
const requestIdSchema = z.union([z.string(), z.number()]);

/**
 * Returns what a call of a session is found by when its client cancels it; undefined when it belongs to no session. A
 * session is only the id that the client got; no process stores it.
 */
export function callDigestOf(session: string | undefined, requestId: unknown): Buffer | undefined {
  const [known, id] = [sessionSchema.safeParse(session), requestIdSchema.safeParse(requestId)];
  if (!known.success || !id.success) return undefined;
  return createHash('sha256')
    .update(JSON.stringify([known.data.toLowerCase(), id.data]))
    .digest();
}
