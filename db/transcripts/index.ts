export { historyForTurn, historyStatement, toHistory, type TurnHistory } from './for-turn.ts';
