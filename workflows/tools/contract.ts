/** The type of the workflow that tries a tool. */
export const TRY_TOOL = 'tryTool';

/** A stored call of a tool that a person tries. */
export interface TryToolInput {
  readonly orgId: string;
  readonly trialId: string;
}

/** Returns the id of the workflow that makes the call. */
export function tryToolId({ orgId, trialId }: TryToolInput): string {
  return `tool-trial/${orgId}/${trialId}`;
}

/** The longest that a tried call may take, in milliseconds. */
export const MAX_TRIAL_MS = 60_000;
