/** A call that leaves a trace outside the turn, and how to recognise it. */
export interface PlannedEffect {
  readonly token: string;
  readonly effect: 'read' | 'keyed' | 'once' | 'memory' | 'command' | 'snippet';
  readonly key: string | null;
  /** The receiver notes it and closes the connection without an answer. */
  readonly isCut: boolean;
}

/** The task of one agent, and the expected result when nobody interrupts it. */
export interface PlannedTurn {
  /** The message, with directives for the scripted model; no two are alike. */
  readonly content: string;
  /** The answer, where it is known beforehand. */
  readonly text: string | undefined;
  readonly effects: readonly PlannedEffect[];
  /** Calls of this agent's own, those for sub-agents too. */
  readonly callCount: number;
  /** Replies of the model that the turn takes. */
  readonly stepCount: number;
  /** A viewer may be shown the beginning of an answer that another provider then gave otherwise. */
  readonly mayDiverge: boolean;
  /** The script lets every provider fail. */
  readonly mustFail: boolean;
  readonly children: readonly PlannedTurn[];
}

/** The time and manner in which the user stops the turn. */
export interface PlannedInterrupt {
  readonly afterMs: number;
  readonly by: 'request' | 'socket';
  readonly isTwice: boolean;
}

/** A message that a user sends. */
export interface MessagePlan {
  readonly index: number;
  readonly kind: string;
  readonly chat: number;
  readonly messageId: string;
  readonly turn: PlannedTurn;
  /** Sent together with the message before it in its chat, without waiting for that one's answer. */
  readonly isTogether: boolean;
  readonly interrupt: PlannedInterrupt | undefined;
}

/** Returns a turn and all that are planned below it. */
export function withDescendants(turn: PlannedTurn): PlannedTurn[] {
  return [turn, ...turn.children.flatMap(withDescendants)];
}
