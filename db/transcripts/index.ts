export { historyForTurn, type TurnHistory } from './for-turn.ts';
export { noteRead, readHistory } from './read-history.ts';
