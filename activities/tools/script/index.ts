export { runScript, type RunScript, type ScriptRequest } from './run-script.ts';
export type { ScriptAnswer } from './messages.ts';
