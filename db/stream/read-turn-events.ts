import { joinAnswer } from '../../domain/turns/index.ts';
import type { Database } from '../core/database.ts';
import { SEQS_OF_STEP } from './step-seq.ts';

/** The text of a turn so far. */
export interface PublishedText {
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
