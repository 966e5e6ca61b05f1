/** What `finishTurn` is given of the end of a turn that delegated nothing, was no attempt and belongs to no run. */
export const PLAIN_END = {
  providerUsed: null,
  usage: undefined,
  lastText: undefined,
  delegationResult: undefined,
  isAttempt: false,
  runId: null,
} as const;
