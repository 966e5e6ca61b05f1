import type { Database } from '../core/database.ts';
import type { StepAudience } from './turn-publisher.ts';
import { EVENTS_CHANNEL, packPayloads } from './wire.ts';

/**
 * Announces that a turn which nobody runs has ended. Its rows are stored, and viewers who miss the news find them
 * there.
 */
export async function announceTurnEnd({ stream }: Pick<Database, 'stream'>, turn: StepAudience): Promise<void> {
  await stream.query({
    name: 'announce-turn-end',
    text: `select pg_notify('${EVENTS_CHANNEL}', payload) from unnest($1::text[]) as payload`,
    values: [packPayloads([{ ...turn, attempt: 0, seq: 0, event: { type: 'turn_end' } }])],
  });
}
