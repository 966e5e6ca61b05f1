/**
 * What a worker tells the viewers of a chat while a turn runs. Events of one turn are ordered by `(attempt, seq)`;
 * a higher attempt replaces all that a lower one said.
 */
export type TurnEvent =
  | {
      readonly type: 'chunk';
      /** Where `text` begins in the answer of this attempt, in UTF-16 code units. */
      readonly offset: number;
      readonly text: string;
    }
  /** The durable rows hold the turn's outcome: read it there. */
  | { readonly type: 'turn_end' };

/** An event with its place in the stream. */
export interface SequencedTurnEvent {
  readonly chatId: string;
  readonly turnId: string;
  /** Place of the turn in its chat's order. */
  readonly turnSeq: number;
  readonly attempt: number;
  readonly seq: number;
  readonly event: TurnEvent;
}
