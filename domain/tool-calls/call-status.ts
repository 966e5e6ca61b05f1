/**
 * The state of a call. `planned` and `running` are open. The others are final, and are the words of step frames and of
 * `tool_calls_detail`: `success` and `error` are the tool's own result, `unknown` means that it may or may not have
 * taken effect, `interrupted` that it was stopped or never begun.
 */
export type CallStatus = 'planned' | 'running' | 'success' | 'error' | 'unknown' | 'interrupted';

/** A status that does not change any more. */
export type FinalCallStatus = Exclude<CallStatus, 'planned' | 'running'>;
