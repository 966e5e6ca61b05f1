export { createRunNextTurn } from './run-next-turn.ts';
export { createRunTool } from './calls/run-tool.ts';
export { runCall } from './calls/run-call.ts';
export { RunningTurns } from './running-turns.ts';
export type { ToolDeps } from './calls/run-call.ts';
export type { TurnDeps } from './turn-step.ts';
