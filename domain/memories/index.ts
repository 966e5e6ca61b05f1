export {
  MEMORY_DEFAULTS,
  MEMORY_TYPES,
  memoryContent,
  memoryPriority,
  memoryTags,
  type MemoryType,
} from './memory-fields.ts';
