import {
  addMemory,
  deleteMemory,
  listMemories,
  type Memory,
  type MemoryFields,
  type MemoryType,
  searchMemories,
  updateMemory,
} from '../../../../db/memories/index.ts';
import { isStatementTimeout } from '../../../../db/core/index.ts';
import { AppError } from '../../../../domain/core/app-error.ts';
import { retryWhileDatabaseUnavailable } from '../../../core/retry-while-database-unavailable.ts';
import { ToolFailure } from '../../tool-failure.ts';
import type { ToolArguments, ToolContext, ToolImplementation, ToolOutput } from '../../tool.ts';

interface Arguments {
  readonly action: 'add' | 'search' | 'update' | 'delete' | 'list';
  readonly content?: string;
  readonly type?: MemoryType;
  readonly tags?: readonly string[];
  readonly priority?: number;
  readonly memory_id?: string;
}

const MAX_FOUND = 50;
const MAX_WORDS = 20;

/** Keeps an agent's memories. What it changes is the same however often it is repeated. */
export const memoryManage: ToolImplementation = {
  run: async (given, context) => {
    const args = given as unknown as Arguments;
    try {
      return await retryWhileDatabaseUnavailable(context.signal, () => ACTIONS[args.action](args, context));
    } catch (error) {
      if (isStatementTimeout(error))
        throw new ToolFailure('timeout', 'This took too long; use fewer words', { cause: error });
      if (!(error instanceof AppError)) throw error;
      throw new ToolFailure(error.code === 'not_found' ? 'not_found' : 'invalid_input', error.message, {
        cause: error,
      });
    }
  },
  effectOf: ({ action }: ToolArguments) => (action === 'search' || action === 'list' ? 'read' : 'keyed'),
  label: ({ action }) => `Memory: ${String(action)}`,
};

const ACTIONS: Readonly<Record<Arguments['action'], (args: Arguments, context: ToolContext) => Promise<ToolOutput>>> = {
  add: async (args, context) => {
    const fields: MemoryFields = {
      content: need(args, 'content'),
      type: args.type ?? 'fact',
      tags: args.tags ?? [],
      priority: args.priority ?? 3,
      isForeign: context.hasForeignText,
    };
    // Under the id of the call, so that a call that is repeated adds nothing.
    return tellOne(await addMemory(context.database, context, fields, context.idempotencyKey));
  },
  search: async (args, context) => {
    const words = [...new Set(need(args, 'content').split(/\s+/))].filter((word) => word !== '').slice(0, MAX_WORDS);
    const filter = { type: args.type, tags: args.tags };
    return tell(await searchMemories(context.database, context, { ...filter, words, limit: MAX_FOUND }));
  },
  list: async ({ type, tags }, context) => {
    const { items: memories, total } = await listMemories(context.database, context, { type, tags, limit: MAX_FOUND });
    return tell(memories, { total });
  },
  update: async (args, context) => {
    const { content, type, tags, priority } = args;
    const id = need(args, 'memory_id').toLowerCase();
    const isForeign = context.hasForeignText;
    return tellOne(await updateMemory(context.database, context, id, { content, type, tags, priority, isForeign }));
  },
  delete: async (args, context) => {
    const id = need(args, 'memory_id').toLowerCase();
    try {
      await deleteMemory(context.database, context, id);
      return { value: { id, deleted: true } };
    } catch (error) {
      // A call that is repeated finds that the first one has done it.
      if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
      return { value: { id, deleted: false, note: 'There is no memory with this id' } };
    }
  },
};

function need(args: Arguments, name: 'content' | 'memory_id'): string {
  const value = args[name]?.trim();
  if (value !== undefined && value !== '') return value;
  throw new ToolFailure('invalid_input', `The action ${args.action} needs ${name}`);
}

function tell(memories: readonly Memory[], more: { readonly total?: number | undefined } = {}): ToolOutput {
  return { value: { memories: memories.map(present), ...more }, isForeign: memories.some(isForeignMemory) };
}

function tellOne(memory: Memory): ToolOutput {
  return { value: present(memory), isForeign: isForeignMemory(memory) };
}

function isForeignMemory({ isForeign }: Memory): boolean {
  return isForeign === true;
}

function present({ id, content, type, tags, priority, updatedAt }: Memory) {
  return { id, content, type, tags, priority, updated_at: updatedAt.toISOString() };
}
