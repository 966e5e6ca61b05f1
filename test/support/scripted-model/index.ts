export {
  callTools,
  say,
  type Answer,
  type AnswerOptions,
  type Behaviour,
  type Fault,
  type ScriptedToolCall,
} from './behaviour.ts';
export type { ScriptFunction } from './choose-behaviour.ts';
export { preciseNow, type JournalEntry } from './journal.ts';
export { inTurn } from './in-turn.ts';
export { startScriptedModel, type ScriptedModel, type ScriptedModelOptions } from './scripted-model.ts';
