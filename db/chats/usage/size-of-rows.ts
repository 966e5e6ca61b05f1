// Conversations count with these bytes, when they are written and when they are gone.

/** The bytes of a row of `messages m`, in SQL. */
export const MESSAGE_BYTES = 'octet_length(m.content) + pg_column_size(m.metadata)';

/** The bytes of the steps, the calls and the traces of `turns t`, in SQL. */
export const TURN_BYTES = `pg_column_size(t.trace) + (
    select coalesce(sum(octet_length(s.text) + coalesce(octet_length(s.raw_text), 0) + coalesce(pg_column_size(s.state), 0)
      + pg_column_size(s.trace)), 0)
    from model_steps s where s.turn_id = t.id
  ) + (
    select coalesce(sum(pg_column_size(k.arguments) + coalesce(octet_length(k.result), 0)), 0)
    from tool_calls k where k.turn_id = t.id
  )`;
