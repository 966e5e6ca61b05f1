export { beginTurn, interruptAbandoned } from './begin-turn.ts';
export { followTurn } from './follow-turn.ts';
export { placeCompletion, placeInChat } from './place-completion.ts';
