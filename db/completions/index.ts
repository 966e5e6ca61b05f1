export { type Completion, continueInChat, findChatOf, findCompletionOfCall, startChatOf } from './completions.ts';
