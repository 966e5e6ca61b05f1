/** One turn as a driver saw it: milliseconds since the epoch with fractions. */
export interface TurnTimes {
  readonly sentAt: number;
  /** First chunk of the answer; for the floor the start of the first activity. */
  readonly firstAt: number;
  readonly endedAt: number;
  /** For a turn in a new chat: when the chat was asked for, and the workflow that the turn must have. */
  readonly newChat?: { readonly askedAt: number; readonly workflowId: string };
}

/** A command for a driver process, one at a time. `work` describes each turn, in the driver's own form. */
export type DriverCommand =
  /** Turns of the first chat, one after the other. */
  | { readonly type: 'latency'; readonly turns: number; readonly pauseMs: number; readonly work?: string }
  /** Chats that begin their next turn when the one before has ended. */
  | {
      readonly type: 'load';
      readonly firstChat: number;
      readonly chats: number;
      readonly warmUpMs: number;
      readonly measureMs: number;
      readonly work?: string;
    }
  /** Turns that begin at a steady pace, in one chat after the other. */
  | {
      readonly type: 'pace';
      readonly chats: number;
      readonly turns: number;
      readonly everyMs: number;
      readonly work?: string;
    }
  /**
   * Streams of tokens, read for a while when all have begun: those of the chats, or as many straight from the model.
   */
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

/** The turns of a command: those that were measured, and how many there were with the warm-up. */
export interface DrivenTurns {
  readonly turns: readonly TurnTimes[];
  /**
   * How much of the measured turns was done after the measured part, in turns: each counts with the share of its time.
   */
  readonly late: number;
  readonly total: number;
  /** Measured turns that failed. */
  readonly failed: number;
}

/** A message from a driver. `ready` comes once, `window` twice in a load: when its measured part begins and ends. */
export type DriverMessage =
  | { readonly type: 'ready'; readonly workflowIds: readonly string[]; readonly workerPid?: number }
  | { readonly type: 'window' }
  | ({ readonly type: 'turns' } & DrivenTurns)
  | ({ readonly type: 'tokens' } & TokenFigures);
