import type { SequencedTurnEvent, TurnEvent } from '../../domain/events.ts';

/** The channel on which turn events are announced to every process that serves viewers. */
export const EVENTS_CHANNEL = 'turn_events';

/**
 * An announced event in a notification: chat, turn, the turn's position and that of the one before it, attempt, seq,
 * event. The event is null when it is too long for a notification: the rows of the turn contain it.
 */
type WireEvent = readonly [string, string, number, number, number, number, TurnEvent | null];

/** A notification's payload must stay below 8,000 bytes (PostgreSQL, NOTIFY). */
const MAX_PAYLOAD_BYTES = 7_900;

/** The longest event that fits into a notification beside its header, in bytes of its JSON. */
const MAX_EVENT_BYTES = MAX_PAYLOAD_BYTES - 200;

/** Returns the event, or null when it is too long for a notification. */
export function fitForPayload(event: TurnEvent): TurnEvent | null {
  return Buffer.byteLength(JSON.stringify(event)) <= MAX_EVENT_BYTES ? event : null;
}

/** Packs events into as few payloads as fit, in order. */
export function packPayloads(events: readonly AnnouncedEvent[]): string[] {
  const payloads: string[] = [];
  let current = '';
  let bytes = 2;
  for (const event of events) {
    const item = encode(event);
    const length = Buffer.byteLength(item) + 1;
    if (current !== '' && bytes + length > MAX_PAYLOAD_BYTES) {
      payloads.push(`[${current}]`);
      current = '';
      bytes = 2;
    }
    current = current === '' ? item : `${current},${item}`;
    bytes += length;
  }
  return current === '' ? payloads : [...payloads, `[${current}]`];
}

/** An event from a notification; `event` is null when the rows must be read. */
export type AnnouncedEvent = Omit<SequencedTurnEvent, 'event'> & { readonly event: TurnEvent | null };

/** Parses a payload that `packPayloads` made. */
export function unpackPayload(payload: string): AnnouncedEvent[] {
  const items = JSON.parse(payload) as WireEvent[];
  return items.map(([chatId, turnId, turnSeq, afterSeq, attempt, seq, event]) => ({
    chatId,
    turnId,
    turnSeq,
    afterSeq,
    attempt,
    seq,
    event,
  }));
}

function encode({ chatId, turnId, turnSeq, afterSeq, attempt, seq, event }: AnnouncedEvent): string {
  const head = [chatId, turnId, turnSeq, afterSeq, attempt, seq] as const;
  const whole: WireEvent = [...head, event && fitForPayload(event)];
  return JSON.stringify(whole);
}
