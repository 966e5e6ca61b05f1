export {
  beginConversation,
  beginTurn,
  checkKey,
  type CompletionTurn,
  interruptAbandoned,
  openingOf,
  placeInChat,
  readConversation,
  textOf,
  followTurn,
} from './begin-turn.ts';
export { MAX_MESSAGES, ONLY_TEXT, OWN_TOOLS, refusalPart } from './schema.ts';
