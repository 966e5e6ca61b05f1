import type { Database } from '../core/database.ts';

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
