export { runScript, type RunScript, type ScriptRequest } from './script-run.ts';
export type { ScriptAnswer } from './messages.ts';
