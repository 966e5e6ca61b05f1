import type { ApprovalMode } from '../approvals/index.ts';

/** The key that stands for the tools of an agent's MCP servers in the list of its tools. */
export const MCP_TOOLS_KEY = 'mcp';

/**
 * What a server says of a tool of its own accord. It decides about repetition, and may have calls wait for a person; it
 * permits nothing.
 */
export interface McpAnnotations {
  readonly title?: string | undefined;
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
}

/** A tool of a server as it was last fetched. */
export interface McpTool {
  /** Its name at the server. */
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of its arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations: McpAnnotations;
  /** The digest of the definition as the server gave it, by which a change is noticed. */
  readonly digest: string;
}

/** A tool that a fetch did not take, and why. */
export interface LeftOutTool {
  readonly name: string;
  readonly reason: string;
}

/**
 * Returns the effect of repeating a call of the tool, by what the server says: a liar doubles effects at itself only.
 */
export function effectOfMcpTool({ readOnlyHint, idempotentHint }: McpAnnotations): 'read' | 'keyed' | 'once' {
  if (readOnlyHint === true) return 'read';
  return idempotentHint === true ? 'keyed' : 'once';
}

/**
 * Returns when calls of the tool wait for a person's decision, where the agent says nothing: those that may destroy.
 */
export function approvalOfMcpTool({ readOnlyHint, destructiveHint }: McpAnnotations): ApprovalMode {
  return destructiveHint === true && readOnlyHint !== true ? 'always' : 'never';
}
