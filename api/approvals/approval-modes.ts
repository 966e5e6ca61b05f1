import { z } from 'zod';
import { APPROVAL_MODES } from '../../domain/approvals/index.ts';

const MAX_NAMED_TOOLS = 200;

/** When calls of an agent wait for a person, by the key of their tool. */
export const approvalModesSchema = z
  .record(
    z
      .string()
      .min(1)
      .max(200)
      .refine((key) => key !== '__proto__', 'is not a key of a tool'),
    z.enum(APPROVAL_MODES).meta({ id: 'ApprovalMode' }),
  )
  .refine((modes) => Object.keys(modes).length <= MAX_NAMED_TOOLS, `must name at most ${MAX_NAMED_TOOLS} tools`)
  .meta({
    description:
      'When a call waits for a person, by the key of its tool: `writes` when it may change something. `*` stands for all tools that are not named, `mcp` for those of MCP servers. For a tool that is not named, the stricter of `*` and the default of the tool holds. Only tools that exist can be added (422). Changing it needs `approvals.manage`',
    examples: [{ '*': 'writes', file_write: 'never' }],
  });
