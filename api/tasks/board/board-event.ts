import { z } from 'zod';
import { EXAMPLE_ID, EXAMPLE_TIME } from '../../http/fields.ts';
import { boardSchema, boardTaskSchema } from './schema.ts';

const removedSchema = z.object({ id: z.uuid() }).meta({ id: 'BoardRemoval' });

const failureSchema = z
  .object({ message: z.string().meta({ description: 'Why the stream ends, in readable words' }) })
  .meta({ id: 'BoardStreamError' });

const TASK = {
  id: EXAMPLE_ID,
  chat_id: EXAMPLE_ID,
  sub_chat_id: EXAMPLE_ID,
  title: 'Collect the figures',
  assigned_agent_id: EXAMPLE_ID,
  priority: 'high',
  status: 'completed',
  position: 'a1V',
  waits_for: [],
  attempts: 1,
  issue_id: null,
  parent_task_id: null,
  created_at: EXAMPLE_TIME,
  updated_at: EXAMPLE_TIME,
};

/** The data of the events of a board's stream, by the names of the events. */
export const BOARD_EVENTS = {
  board: boardSchema,
  task: boardTaskSchema,
  removed: removedSchema,
  error: failureSchema,
} as const;

/** The data of one event of a board's stream. */
export const boardEventSchema = z.union(Object.values(BOARD_EVENTS)).meta({
  id: 'BoardEvent',
  description: `The data of one server-sent event, a line of JSON; lines that begin with a colon keep the connection open. The name of the event, \`event\`, says which:

- \`board\`: \`Board\`, the whole board; it replaces what came before
- \`task\`: \`BoardTask\`, a task that was added, changed or moved, as it is now
- \`removed\`: \`BoardRemoval\`, a task that is gone
- \`error\`: \`BoardStreamError\`, the last event of a stream whose viewer lost the right to it, or whose board could not be read again`,
  examples: [TASK, { id: EXAMPLE_ID }],
});

/** The name of an event. */
export type EventName = keyof typeof BOARD_EVENTS;

/** The data of the events of a name. */
export type EventData<K extends EventName> = z.input<(typeof BOARD_EVENTS)[K]>;
