export { callTools, say, type AnswerOptions } from './behaviour.ts';
export { preciseNow, type JournalEntry } from './journal.ts';
export { inTurn } from './in-turn.ts';
export { startScriptedModel, type ScriptedModel } from './scripted-model.ts';
