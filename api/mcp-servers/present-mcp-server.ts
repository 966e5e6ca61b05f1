import type { z } from 'zod';
import type { McpServer } from '../../db/mcp-servers/index.ts';
import { present } from '../../domain/core/record-names.ts';
import {
  changeOf,
  effectOfMcpTool,
  type McpProgram,
  type McpTool,
  programUrl,
  type ToolChanges,
} from '../../domain/mcp-servers.ts';
import type { Lacking } from '../../domain/tools/index.ts';
import { mcpProgramSchema, mcpServerSchema, mcpToolSchema } from './schema.ts';

/** Returns a server as the API shows it: of its secret, only whether there is one. */
export function presentMcpServer(server: McpServer): z.input<typeof mcpServerSchema> {
  return present(mcpServerSchema, server, { config: { ...server.config }, hasCredentials: server.authValue !== null });
}

/** Returns a function that shows programs of the operator as the API does, by what the workers lack. */
export function mcpProgramPresenter({ sandbox }: Lacking): (program: McpProgram) => z.input<typeof mcpProgramSchema> {
  const reason = sandbox ?? null;
  return (program) => {
    const takesSecret = program.secretVariable !== undefined;
    return present(mcpProgramSchema, program, {
      url: programUrl(program),
      takesSecret,
      available: reason === null,
      reason,
    });
  };
}

/** Returns a function that shows the tools of a server as the API does, each with how the last fetch has changed it. */
export function mcpToolPresenter(changes: ToolChanges | null): (tool: McpTool) => z.input<typeof mcpToolSchema> {
  return (tool) => {
    const { name, annotations } = tool;
    const more = {
      effect: effectOfMcpTool(annotations),
      annotations: { ...annotations },
      change: changeOf(name, changes),
    };
    return present(mcpToolSchema, tool, more);
  };
}
