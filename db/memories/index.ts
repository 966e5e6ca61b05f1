export { memoriesForTurn } from './for-turn.ts';
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
export { listPromptMemories } from './prompt-memories.ts';
