export { runScript, type RunScript } from './run-script.ts';
export type { ScriptRequest } from './script-run.ts';
export type { ScriptAnswer } from './messages.ts';
