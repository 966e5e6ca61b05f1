import { joinAnswer } from '../../domain/turns.ts';
import type { Database } from '../core/database.ts';

/** The text of a turn so far. */
interface PublishedText {
  /** The newest attempt that is part of `text`; before the running step has said anything, the turn's own. */
  readonly attempt: number;
  readonly text: string;
  /** Stored model steps: those that led to calls. */
  readonly stepCount: number;
}

interface Chunk {
  readonly offset: number;
  readonly text: string;
}

interface PublishedRow {
  readonly texts: readonly string[];
  readonly attempt: number;
  readonly chunks: readonly Chunk[];
}

/**
 * Returns the text of the turn's stored steps, followed by what the newest attempt at the running step has streamed.
 * For an unknown turn, all that was streamed. One round trip.
 */
export async function readPublishedText({ tenant }: Database, orgId: string, turnId: string): Promise<PublishedText> {
  const [row] = await tenant.query<PublishedRow>(orgId, {
    name: 'read-published-text',
    // Events of a stored step are left out: they may come from another attempt than the one that stored it.
    text: `with stored as (
        select count(*) as count, coalesce(json_agg(text order by step), '[]') as texts from model_steps where turn_id = $1
      ),
      recent as (
        select e.attempt, e.seq, e.event from turn_events e, stored where e.turn_id = $1 and e.seq >= stored.count * $2::bigint
      ),
      newest as (select max(attempt) as attempt from recent)
      select stored.texts, coalesce(newest.attempt, (select attempt from turns where id = $1), 0) as attempt,
        (select coalesce(json_agg(r.event order by r.seq), '[]') from recent r where r.attempt = newest.attempt) as chunks
      from stored, newest`,
    values: [turnId, SEQS_OF_STEP],
  });
  if (row === undefined) return { attempt: 0, text: '', stepCount: 0 };
  const base = joinAnswer(row.texts);
  const text = row.chunks.reduce((soFar, chunk) => soFar + (newPartOf(chunk, soFar.length) ?? ''), base);
  return { attempt: row.attempt, text, stepCount: row.texts.length };
}

/**
 * Returns the part of a chunk that goes after the characters which are known; existing text stays. `undefined` when
 * text before the chunk is missing.
 */
export function newPartOf(chunk: Chunk, knownLength: number): string | undefined {
  return chunk.offset > knownLength ? undefined : chunk.text.slice(knownLength - chunk.offset);
}

/** The events that one statement deletes, so that a backlog never exceeds what its time limit allows. */
const BATCH = 10_000;
/** The statements of one run; the next run continues. */
const MAX_BATCHES = 100;

/**
 * Deletes the events of turns that ended more than half a minute ago; viewers read the stored answer by then. Any
 * number of workers may call this: each leaves alone what another one deletes.
 */
export async function purgeTurnEvents({ system }: Database): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const { rowCount } = await system.query({ name: 'purge-turn-events', text: PURGE, values: [BATCH] });
    if ((rowCount ?? 0) < BATCH) return;
  }
}

// Goes from turn to turn in the primary key: the events of open turns, which are the most, are not read. Hence a
// subquery for each turn that has ended, and an age that no index knows: otherwise a plan may read the events of all.
const PURGE = `with recursive streamed (turn_id) as (
    (select turn_id from turn_events order by turn_id limit 1)
    union all
    select (select e.turn_id from turn_events e where e.turn_id > s.turn_id order by e.turn_id limit 1)
    from streamed s where s.turn_id is not null
  ),
  ended as materialized (
    select s.turn_id from streamed s left join turns t on t.id = s.turn_id
    where s.turn_id is not null and (t.id is null or t.ended_at < now() - interval '30 seconds')
  )
  delete from turn_events where ctid = any(array(
    select old.ctid from ended cross join lateral (
      select e.ctid from turn_events e
      where e.turn_id = ended.turn_id and e.created_at + interval '30 seconds' < now()
      limit $1 for update skip locked
    ) old
    limit $1
  ))`;

/** More events than one model step can have. */
const SEQS_OF_STEP = 1_000_000;

/** Returns the first event number of a step: all steps of a turn share one order. */
export function firstSeq(step: number): number {
  return step * SEQS_OF_STEP;
}
