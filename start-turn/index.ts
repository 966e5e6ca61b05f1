export { advanceRun } from './advance-run.ts';
export { announceWait } from './ask-for-step.ts';
export { decideRun } from './decide-run.ts';
export { type RunDeps, startTurn } from './start-turn.ts';
export { type TriggerDeps, triggerRun } from './trigger-run.ts';
export { wakeChatInBackground } from './wake-chat-in-background.ts';
