export {
  addMemory,
  deleteMemory,
  getMemory,
  listMemories,
  type Memory,
  MEMORY_TYPES,
  type MemoryFields,
  type MemoryType,
  searchMemories,
  updateMemory,
} from './memories.ts';
