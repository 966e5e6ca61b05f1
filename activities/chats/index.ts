export { type ChatActivityDeps, createRunNextTurn } from './run-next-turn.ts';
export { RunningTurns } from './running-turns.ts';
