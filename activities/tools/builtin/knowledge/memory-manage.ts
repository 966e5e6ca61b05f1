import { z } from 'zod';
import { MEMORY_TYPES, memoryContent, memoryPriority, memoryTags } from '../../../../domain/memories.ts';
import type { Memory, ToolContext } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import type { ToolOutput } from '../../tool.ts';
import { recordId, requireArgument } from '../parameters.ts';

const MAX_FOUND = 50;
const MAX_WORDS = 20;

const parameters = z.strictObject({
  action: z
    .enum(['add', 'search', 'update', 'delete', 'list'])
    .describe(
      'What to do. `add` needs content, `search` needs content as the words to search for, `update` and `delete` need memory_id.',
    ),
  content: memoryContent
    .optional()
    .describe('What to remember, as one self-contained statement; or the words to search for.'),
  type: z
    .enum(MEMORY_TYPES)
    .optional()
    .describe('Kind of memory; `fact` when left out. In search and list: only this kind.'),
  tags: memoryTags.optional().describe('Words to find it by. In search and list: only memories that have all of them.'),
  priority: memoryPriority.optional().describe('1 (least) to 5 (most important); 3 when left out.'),
  memory_id: recordId.optional().describe('Id of the memory to change or delete.'),
});

type Arguments = z.output<typeof parameters>;

/** Manages an agent's memories. Repeating a change has no further effect. */
export const memoryManage = defineTool({
  key: 'memory_manage',
  name: 'Memory',
  description:
    'Keeps what you should remember in later conversations: adds, searches, lists, changes and deletes your memories. ' +
    'Search before you add, so that nothing is stored twice; change or delete what is no longer true.',
  category: 'knowledge',
  onlyInChats: true,
  parameters,
  effect: 'keyed',
  timeoutSeconds: 30,
  inline: true,
  permission: 'memory',
  effectOf: ({ action }) => (action === 'search' || action === 'list' ? 'read' : 'keyed'),
  label: ({ action }) => `Memory: ${action}`,
  run: async (args, context) => ACTIONS[args.action](args, context),
});

const ACTIONS: Readonly<Record<Arguments['action'], (args: Arguments, context: ToolContext) => Promise<ToolOutput>>> = {
  add: async (args, context) => {
    const { type, tags, priority } = args;
    const isForeign = context.hasForeignText;
    const fields = { content: requireArgument(args, 'content'), type, tags, priority, isForeign };
    // Under the id of the call, so that a repeated call adds nothing.
    return toOutput(await context.memories.add(context.idempotencyKey, fields));
  },
  search: async (args, context) => {
    const words = [...new Set(requireArgument(args, 'content').split(/\s+/))]
      .filter((word) => word !== '')
      .slice(0, MAX_WORDS);
    const { type, tags } = args;
    return outputOf(await context.memories.search({ type, tags, words, limit: MAX_FOUND }));
  },
  list: async ({ type, tags }, context) => {
    const { items: memories, total } = await context.memories.list({ type, tags, limit: MAX_FOUND });
    return outputOf(memories, { total });
  },
  update: async (args, context) => {
    const { content, type, tags, priority } = args;
    const id = requireArgument(args, 'memory_id');
    const isForeign = context.hasForeignText;
    return toOutput(await context.memories.update(id, { content, type, tags, priority, isForeign }));
  },
  delete: async (args, context) => {
    const id = requireArgument(args, 'memory_id');
    try {
      await context.memories.delete(id);
      return { value: { id, deleted: true } };
    } catch (error) {
      // A repeated call finds the change made.
      if (!(error instanceof ToolFailure) || error.kind !== 'not_found') throw error;
      return { value: { id, deleted: false, note: 'There is no memory with this id' } };
    }
  },
};

function outputOf(memories: readonly Memory[], more: { readonly total?: number | undefined } = {}): ToolOutput {
  return { value: { memories: memories.map(present), ...more }, isForeign: memories.some(isForeignMemory) };
}

function toOutput(memory: Memory): ToolOutput {
  return { value: present(memory), isForeign: isForeignMemory(memory) };
}

function isForeignMemory({ isForeign }: Memory): boolean {
  return isForeign === true;
}

function present({ id, content, type, tags, priority, updatedAt }: Memory) {
  return { id, content, type, tags, priority, updated_at: updatedAt.toISOString() };
}
