export { beginConversation, beginTurn, type CompletionTurn, interruptAbandoned } from './begin-turn.ts';
export { followTurn } from './follow-turn.ts';
export { placeInChat } from './place-completion.ts';
export { checkKey, openingOf, readConversation, textOf } from './read-conversation.ts';
export { MAX_MESSAGES, ONLY_TEXT, OWN_TOOLS, refusalPart } from './schema.ts';
