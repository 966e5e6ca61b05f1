export {
  describeCandidates,
  PROMPT_PARTS,
  type PromptMemory,
  type PromptPart,
  promptParts,
  systemPrompt,
  type SystemPromptSource,
} from './system-prompt.ts';
export { hasMoreToRead, MAX_SKILL_CHARACTERS, placeSkills, SKILL_READ } from './skills.ts';
export { joinSouls, type Soul } from './soul.ts';
