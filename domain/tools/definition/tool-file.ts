import { z } from 'zod';
import { nameText, text } from '../../core/text.ts';

/** How a custom tool is run. `shell` is part of the format and not run yet. */
const RUNTIMES = ['http', 'javascript', 'shell'] as const;

/** The greatest and the usual time limit of a call, in seconds. */
const MAX_TIMEOUT_S = 120;
const TIMEOUT_S = 30;

/** What of `tool.json` decides how the tool is run; other fields are kept and mean nothing here. */
export const toolFileSchema = z.looseObject({
  key: z.string().max(64).optional(),
  description: text(4_000).trim().min(1).optional(),
  parameters: z.record(z.string(), z.unknown()),
  effect: z.enum(['read', 'keyed', 'once']).default('once'),
  runtime: z.enum(RUNTIMES),
  integration: nameText(100).optional(),
  timeout_s: z.int().min(1).max(MAX_TIMEOUT_S).default(TIMEOUT_S),
});
