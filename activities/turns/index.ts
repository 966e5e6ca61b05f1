export { createRunNextTurn, createRunShortTurn } from './run-next-turn.ts';
export { createRunTool, runCall, type ToolDeps } from './calls/run-call.ts';
export { HeadStarts, listenToTurns } from './runs/head-starts.ts';
export { TurnMemory } from './transcript/turn-transcript.ts';
export { RunningTurns } from './runs/running-turns.ts';
export { TurnRuns } from './runs/turn-runs.ts';
export type { StepsDeps } from './take-steps.ts';
export type { TurnDeps } from './turn-step.ts';
