export { historyForTurn } from './for-turn.ts';
