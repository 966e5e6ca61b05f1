import { z } from 'zod';
import { MEMORY_DEFAULTS, MEMORY_TYPES, memoryContent, memoryPriority, memoryTags } from '../../domain/memories.ts';
import { timestamp } from '../http/fields.ts';

const fields = {
  content: memoryContent,
  type: z.enum(MEMORY_TYPES),
  tags: memoryTags.meta({ description: 'Words to find it by' }),
  priority: memoryPriority.meta({ description: '5 is the most important' }),
};

export const newMemorySchema = z
  .strictObject({
    content: fields.content,
    type: fields.type.default(MEMORY_DEFAULTS.type),
    tags: fields.tags.default(MEMORY_DEFAULTS.tags),
    priority: fields.priority.default(MEMORY_DEFAULTS.priority),
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
