/** One turn as a driver saw it: milliseconds since the epoch with fractions. */
export interface TurnTimes {
  readonly sentAt: number;
  /** First chunk of the answer; for the floor the start of the first activity. */
  readonly firstAt: number;
  readonly endedAt: number;
}

/** A command for a driver process, one at a time. `work` describes each turn, in the driver's own form. */
export type DriverCommand =
  /** Turns of the first chat, one after the other. */
  | { readonly type: 'latency'; readonly turns: number; readonly pauseMs: number; readonly work?: string }
  | {
      readonly type: 'load';
      readonly firstChat: number;
      readonly chats: number;
      readonly warmUpMs: number;
      readonly measureMs: number;
      readonly work?: string;
    }
  /** Streams of tokens, read for a while when all have begun: those of the chats, or as many straight from the model. */
  | { readonly type: 'stream'; readonly from: 'chats' | 'model'; readonly measureMs: number };

/** The arrival of tokens in the measured part. */
export interface TokenFigures {
  /** Streams that had begun. */
  readonly streams: number;
  readonly tokens: number;
  /** From the moment at which the model wrote a token to its arrival, in milliseconds. */
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
  /** Frames, or writes of the model, in which the tokens came. */
  readonly frames: number;
  /** Streams that did not end as they should. */
  readonly failed: number;
}

/** A message from a driver. `ready` comes once, `window` twice in a load: when its measured part begins and ends. */
export type DriverMessage =
  | { readonly type: 'ready'; readonly workflowIds: readonly string[]; readonly workerPid?: number }
  | { readonly type: 'window' }
  | { readonly type: 'turns'; readonly turns: readonly TurnTimes[]; readonly total: number; readonly failed: number }
  | ({ readonly type: 'tokens' } & TokenFigures);
