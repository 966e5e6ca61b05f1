import { policyAllows } from '../../domain/permissions/index.ts';
import type { PromptMemory } from '../../domain/prompts/index.ts';
import type { TenantDatabase } from '../core/index.ts';
import type { TurnPart } from '../turns/index.ts';
import type { MemoryOwner } from './memories.ts';

/** No more rows are read: shorter ones than these would leave no words. */
const MAX_SHOWN = 100;
/** The characters that a prompt has for them (domain/prompts), and the index `agent_memories_prompt`. */
const MAX_CHARACTERS = 4_000;

const RANK = `(case type when 'instruction' then 0 when 'fact' then 1 when 'context' then 2 else 3 end)`;
const ORDER = 'rank, priority desc, created_at desc, id desc';

/** The memories that stand in the prompt, where the user may see those of agents. */
export const memoriesForTurn: TurnPart<PromptMemory, readonly PromptMemory[]> = {
  text: promptMemoriesOf('c.agent_id'),
  of: (memories, { policy }) => (policy !== null && policyAllows(policy, 'memory.view') ? memories : []),
};

/**
 * Returns the statement that reads the memories of an agent's prompt: instructions first, each kind by priority, then
 * the newest first. Those that may repeat text from outside are left out, since a prompt has no marks around them, and
 * so are those that are too long: `memory_manage` finds them. It reads an index of the same order and condition.
 */
function promptMemoriesOf(agentId: string): string {
  return `select type, content from (
      select *, sum(length(content)) over (order by ${ORDER}) - length(content) as before from (
        select type, content, ${RANK} as rank, priority, created_at, id from agent_memories
        where agent_id = ${agentId} and not is_foreign and length(content) <= ${MAX_CHARACTERS}
        order by ${RANK}, priority desc, created_at desc, id desc limit ${MAX_SHOWN}
      ) first
    ) shown where before < ${MAX_CHARACTERS} order by ${ORDER}`;
}

/** Returns the memories that stand in an agent's prompt. */
export async function listPromptMemories(
  { tenant }: TenantDatabase,
  { orgId, agentId }: MemoryOwner,
): Promise<readonly PromptMemory[]> {
  return tenant.query<PromptMemory>(orgId, {
    name: 'list-prompt-memories',
    text: promptMemoriesOf('$1::uuid'),
    values: [agentId],
  });
}
