import type { z } from 'zod';
import type { Memory } from '../../db/memories/index.ts';
import type { memorySchema } from './schema.ts';

/** A memory as the API shows it. */
export function presentMemory(agentId: string, memory: Memory): z.input<typeof memorySchema> {
  return {
    id: memory.id,
    agent_id: agentId,
    content: memory.content,
    type: memory.type,
    tags: [...memory.tags],
    priority: memory.priority,
    created_at: memory.createdAt.toISOString(),
    updated_at: memory.updatedAt.toISOString(),
  };
}
