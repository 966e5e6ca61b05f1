import { z } from 'zod';
import { MEMORY_TYPES } from '../../db/memories/index.ts';
import { nameText, text } from '../../domain/core/text.ts';
import { timestamp } from '../http/fields.ts';

const fields = {
  content: text(10_000).trim().min(1),
  type: z.enum(MEMORY_TYPES),
  tags: z.array(nameText(50)).max(20).meta({ description: 'Words to find it by' }),
  priority: z.int().min(1).max(5).meta({ description: '5 is the most important' }),
};

export const newMemorySchema = z
  .strictObject({
    content: fields.content,
    type: fields.type.default('fact'),
    tags: fields.tags.default([]),
    priority: fields.priority.default(3),
  })
  .meta({
    id: 'MemoryCreate',
    examples: [{ content: 'Reports go out on Fridays.', type: 'instruction', priority: 5 }],
  });

export const memoryChangesSchema = z
  .strictObject(fields)
  .partial()
  .meta({ id: 'MemoryUpdate', examples: [{ priority: 1 }] });

export const memorySchema = z
  .object({ id: z.uuid(), agent_id: z.uuid(), ...fields, created_at: timestamp, updated_at: timestamp })
  .meta({ id: 'AgentMemory' });
