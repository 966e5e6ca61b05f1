/** One turn as a driver saw it: milliseconds since the epoch with fractions. */
export interface TurnTimes {
  readonly sentAt: number;
  /** First chunk of the answer; for the floor the start of the activity. */
  readonly firstAt: number;
  readonly endedAt: number;
}

/** What a driver process is told to do, one thing at a time. */
export type DriverCommand =
  /** Turns of the first chat, one after the other. */
  | { readonly type: 'latency'; readonly turns: number; readonly pauseMs: number }
  | {
      readonly type: 'load';
      readonly firstChat: number;
      readonly chats: number;
      readonly warmUpMs: number;
      readonly measureMs: number;
    };

/** What a driver tells. `ready` comes once, `window` twice in a load: as its measured part begins and ends. */
export type DriverMessage =
  | { readonly type: 'ready'; readonly workflowIds: readonly string[]; readonly workerPid?: number }
  | { readonly type: 'window' }
  | { readonly type: 'turns'; readonly turns: readonly TurnTimes[]; readonly total: number; readonly failed: number };
