import { purgeMcpSignIns } from '../../../../db/mcp-servers/index.ts';
import type { Sweep } from '../../sweep.ts';

/** Removes sign-ins at MCP servers that nobody has finished in time. */
export const purgeExpiredMcpSignIns: Sweep = {
  name: 'purge sign-ins at MCP servers',
  run: async ({ database }) => {
    await purgeMcpSignIns(database);
  },
};
