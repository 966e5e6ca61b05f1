export { type Completion, continueInChat, findChatOf, startChatOf } from './completions.ts';
