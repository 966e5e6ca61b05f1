import { z } from 'zod';
import { AGENT_TYPES } from '../../domain/agents/index.ts';
import { nameText, text } from '../../domain/core/text.ts';
import { ITEM_KINDS, VERSION } from '../../domain/marketplace/index.ts';
import { soulObject } from '../../domain/definitions/index.ts';

const keys = z.array(nameText(100)).max(200);

/** What `item.json` says. */
export const itemFileSchema = z.strictObject({
  name: nameText(100),
  kind: z.enum(ITEM_KINDS),
  version: z.string().regex(VERSION, 'must be a version like 1.4.0'),
  summary: text(500).trim().min(1),
  tags: z
    .array(z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be lower-case letters, digits and hyphens'))
    .max(20),
  providers: z.array(nameText(200)).max(10).default([]),
});

/** What `agents/<key>/agent.json` says; the system prompt lies in `PROMPT.md` beside it. */
export const agentFileSchema = z.strictObject({
  name: nameText(),
  description: text(5_000),
  agent_type: z.enum(AGENT_TYPES).default('custom'),
  soul: soulObject().default({}),
  tools: keys.default([]),
  skills: keys.default([]),
  persona: nameText(64).nullable().default(null),
  temperature: z.number().min(0).max(2).default(0.3),
  max_tokens: z.int().min(1).max(1_000_000).default(8192),
  max_subagents: z.int().min(0).max(100).default(5),
  max_concurrency: z.int().min(1).max(100).default(2),
});

/** The text of an agent's `PROMPT.md`. */
export const promptText = text(100_000);
/** The text of an item's `README.md`. */
export const readmeText = text(50_000);
