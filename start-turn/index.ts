export { startTurn } from './start-turn.ts';
export { wakeChatInBackground } from './wake-chat-in-background.ts';
