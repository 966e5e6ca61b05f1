export { agentSpawn, readSpawn } from './agent-spawn.ts';
export { systemPrompt } from './system-prompt.ts';
