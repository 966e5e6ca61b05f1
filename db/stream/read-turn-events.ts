import type { TurnEvent } from '../../domain/events/index.ts';
import type { Database } from '../core/database.ts';

/** What the newest attempt at a turn has published so far. */
export interface PublishedText {
  readonly attempt: number;
  readonly text: string;
}

/** The text that the newest attempt at a turn has streamed, attempt 0 when nothing was kept. */
export async function readPublishedText({ tenant }: Database, orgId: string, turnId: string): Promise<PublishedText> {
  const rows = await tenant.query<{ attempt: number; event: TurnEvent }>(orgId, {
    name: 'read-turn-events',
    text: `select attempt, event from turn_events
      where turn_id = $1 and attempt = (select max(attempt) from turn_events where turn_id = $1) order by seq`,
    values: [turnId],
  });
  let text = '';
  for (const { event } of rows) {
    if (event.type === 'chunk') text = applyChunk(text, event) ?? text;
  }
  return { attempt: rows[0]?.attempt ?? 0, text };
}

/** `text` with a chunk put at its place; what is there already stays. `undefined` when something is missing before it. */
export function applyChunk(text: string, chunk: { offset: number; text: string }): string | undefined {
  if (chunk.offset > text.length) return undefined;
  const overlap = text.length - chunk.offset;
  return overlap >= chunk.text.length ? text : text + chunk.text.slice(overlap);
}

/** Deletes the events of turns that ended before the last half minute; viewers read the stored answer by then. */
export async function purgeTurnEvents({ system }: Database): Promise<void> {
  await system.query(
    `delete from turn_events where turn_id in (
      select distinct e.turn_id from turn_events e left join turns t on t.id = e.turn_id
      where e.created_at < now() - interval '30 seconds' and coalesce(t.ended_at < now() - interval '30 seconds', t.id is null)
    )`,
  );
}
