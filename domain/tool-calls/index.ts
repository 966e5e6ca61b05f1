export {
  AGENT_SPAWN,
  type CallStatus,
  type Effect,
  EFFECTS,
  type FinalCallStatus,
  MAX_ARGUMENT_CHARACTERS,
  MAX_ARGUMENT_NESTING,
  MAX_CALLS_PER_REPLY,
  MAX_DEPTH,
  MAX_REPLY_ARGUMENT_CHARACTERS,
  MAX_RESULT_CHARACTERS,
  MAX_STEPS,
  MAY_HAVE_TAKEN_EFFECT,
  STOPPED,
  STOPPED_WHILE_IT_RAN,
} from './tool-call.ts';
export { defuseFences } from './fence-line.ts';
export { JsonScanner } from './parse-json.ts';
export { FenceSplitter } from './fence-splitter.ts';
export { droppedCallsNotice, planCalls, type ReadCall, readCall } from './read-call.ts';
export { evaluateRepetition, type Repetition, repetitionFailure, repetitionNotice } from './repetition.ts';
