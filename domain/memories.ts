import { z } from 'zod';
import { nameText, text } from './core/text.ts';

/** Kinds of memories. */
export const MEMORY_TYPES = ['fact', 'instruction', 'context', 'example'] as const;
export type MemoryType = (typeof MEMORY_TYPES)[number];

export const memoryContent = text(10_000).trim().min(1);

/** Words to find a memory by. */
export const memoryTags = z.array(nameText(50)).max(20);

/** 5 is the most important. */
export const memoryPriority = z.int().min(1).max(5);

/** The fields of a new memory that nobody sets. */
export const MEMORY_DEFAULTS = { type: 'fact' as MemoryType, tags: [] as string[], priority: 3 };
