import { policyAllows } from '../../domain/permissions/index.ts';
import type { PromptMemory } from '../../domain/prompts/index.ts';
import type { TurnPart } from '../turns/index.ts';
import { promptMemoriesOf } from './prompt-memories.ts';

/** The memories that stand in the prompt, where the user may see those of agents. */
export const memoriesForTurn: TurnPart<PromptMemory, readonly PromptMemory[]> = {
  text: promptMemoriesOf('(select agent_id from chats where id = $1)'),
  of: (memories, { policy }) => (policy !== null && policyAllows(policy, 'memory.view') ? memories : []),
};
