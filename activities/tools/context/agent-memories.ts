import type { Listed } from '../../../db/core/index.ts';
import type { Memory, MemoryChanges, NewMemory } from '../../../db/memories/index.ts';
import type { MemoryType } from '../../../domain/memories.ts';

interface MemoryQuery {
  readonly type: MemoryType | undefined;
  /** A memory must have all of them. */
  readonly tags: readonly string[] | undefined;
  readonly limit: number;
}

/** The memories of the agent that a call works for. Throws `ToolFailure` with a message for the model. */
export interface AgentMemories {
  /** Stores a memory under an id; the same id again adds nothing and returns the stored one. */
  add(id: string, fields: NewMemory): Promise<Memory>;
  search(search: MemoryQuery & { readonly words: readonly string[] }): Promise<readonly Memory[]>;
  list(page: MemoryQuery): Promise<Listed<Memory>>;
  /** Changes the given fields only. */
  update(id: string, changes: MemoryChanges): Promise<Memory>;
  delete(id: string): Promise<void>;
}
