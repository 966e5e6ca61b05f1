import { cut } from '../../../../domain/core/text.ts';
import { effectOfMcpTool, type McpTool } from '../../../../domain/mcp-servers/index.ts';
import { type McpCall, type McpClient, McpFailure } from '../../../mcp-servers/index.ts';
import type { ToolContext } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import type { ToolArguments, ToolOutput } from '../../tool.ts';
import { presentAnswer } from './present-answer.ts';

/** A tool of a server, which is undefined when it was removed. */
type ServerTool = Pick<McpCall, 'server' | 'tool'>;

/** The length of an error that a server's tool answers with. */
const MAX_ERROR_CHARACTERS = 4_000;
const CHANGED =
  '[The server has changed the definition of this tool since its tools were fetched; this call used the former one.]';

/** Calls the tool of a server. Everything that it answers is text from outside. */
export async function runMcpTool(
  mcp: McpClient,
  serverTool: ServerTool,
  args: ToolArguments,
  context: ToolContext,
): Promise<ToolOutput> {
  const { signal, idempotencyKey } = context;
  const answer = await mcp.call({ ...serverTool, args, idempotencyKey, signal }).catch((error: unknown) => {
    throw error instanceof McpFailure ? toToolFailure(error, serverTool.tool) : error;
  });
  const shown = await presentAnswer(answer, context);
  const text = answer.hasChangedTool ? `${CHANGED}\n${shown}` : shown;
  if (answer.isError === true) throw new ToolFailure('upstream', cut(text, MAX_ERROR_CHARACTERS), { isForeign: true });
  return { value: text, isForeign: true };
}

function toToolFailure(failure: McpFailure, { annotations }: McpTool): ToolFailure {
  const { kind, message, mayHaveRun, isForeign } = failure;
  const isUncertain = mayHaveRun && effectOfMcpTool(annotations) !== 'read';
  return new ToolFailure(kind, message, { isUncertain, isForeign, cause: failure });
}
