export { systemPrompt } from './system-prompt.ts';
