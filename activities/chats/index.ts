export { createRunNextTurn, type TurnDeps } from './run-next-turn.ts';
export { createRunTool, type ToolDeps } from './run-tool.ts';
export { RunningTurns } from './running-turns.ts';
