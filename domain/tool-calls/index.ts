export { type CallStatus, type FinalCallStatus } from './call-status.ts';
export { defuseFences } from './fences/defuse-fences.ts';
export { type Effect, EFFECTS } from './effect.ts';
export { JsonScanner } from './json-scanner.ts';
export { FenceSplitter } from './fences/fence-splitter.ts';
export {
  AGENT_SPAWN,
  MAX_ARGUMENT_CHARACTERS,
  MAX_ARGUMENT_NESTING,
  MAX_CALLS_PER_REPLY,
  MAX_DEPTH,
  MAX_REPLY_ARGUMENT_CHARACTERS,
  MAX_RESULT_CHARACTERS,
  MAX_STEPS,
} from './limits.ts';
export { droppedCallsNotice, planCalls, type ReadCall, readCall } from './read-call.ts';
export { evaluateRepetition, type Repetition, repetitionFailure, repetitionNotice } from './repetition.ts';
export { MAY_HAVE_TAKEN_EFFECT, STOPPED, STOPPED_WHILE_IT_RAN } from './unfinished-results.ts';
