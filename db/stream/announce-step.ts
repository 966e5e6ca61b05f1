import type { StepEvent } from '../../domain/events.ts';
import type { Database } from '../core/database.ts';
import type { AncestorTurn } from '../turns/ancestors.ts';
import { EVENTS_CHANNEL, fitForPayload, packPayloads } from './wire.ts';

/** A step, and the viewers that it is announced to. */
export interface StepNews {
  readonly recipients: readonly AncestorTurn[];
  readonly step: StepEvent;
}

/**
 * Announces steps from a process that runs no turns. They are not stored here: their rows are, and viewers who miss the
 * news find them there.
 */
export async function announceSteps({ stream }: Pick<Database, 'stream'>, news: readonly StepNews[]): Promise<void> {
  const events = news.flatMap(({ recipients, step }) =>
    recipients.map((recipient) => ({ ...recipient, attempt: 0, seq: 0, event: fitForPayload(step) })),
  );
  if (events.length === 0) return;
  await stream.query({
    name: 'announce-steps',
    text: `select pg_notify('${EVENTS_CHANNEL}', payload) from unnest($1::text[]) as payload`,
    values: [packPayloads(events)],
  });
}

/**
 * Announces that a turn which nobody runs has ended. Its rows are stored, and viewers who miss the news find them
 * there.
 */
export async function announceTurnEnd({ stream }: Pick<Database, 'stream'>, turn: AncestorTurn): Promise<void> {
  await stream.query({
    name: 'announce-turn-end',
    text: `select pg_notify('${EVENTS_CHANNEL}', payload) from unnest($1::text[]) as payload`,
    values: [packPayloads([{ ...turn, attempt: 0, seq: 0, event: { type: 'turn_end' } }])],
  });
}
