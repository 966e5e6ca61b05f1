export { listPromptMemories, memoriesForTurn } from './for-turn.ts';
export {
  addMemory,
  deleteMemory,
  getMemory,
  listMemories,
  type Memory,
  type MemoryChanges,
  type NewMemory,
  searchMemories,
  updateMemory,
} from './memories.ts';
