export { describeCandidates } from './candidates.ts';
export type { PromptMemory } from './memories.ts';
export { hasMoreToRead, MAX_SKILL_CHARACTERS, placeSkills, SKILL_READ } from './skills.ts';
export { joinSouls, type Soul } from './soul.ts';
export { PROMPT_PARTS, type PromptPart, promptParts, systemPrompt, type SystemPromptSource } from './system-prompt.ts';
