import { z } from 'zod';
import { EXAMPLE_ID, EXAMPLE_TIME } from '../../http/fields.ts';
import { boardSchema, boardTaskSchema } from './schema.ts';

const removedSchema = z.object({ id: z.uuid() }).meta({ id: 'BoardRemoval' });

const failureSchema = z
  .object({ message: z.string().meta({ description: 'Why the stream ends, in readable words' }) })
  .meta({ id: 'BoardStreamError' });

const TASK = {
  event: 'task',
  data: {
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
  },
};
const REMOVED = { event: 'removed', data: { id: EXAMPLE_ID } };

/** One event of a board's stream. */
export const boardEventSchema = z
  .discriminatedUnion('event', [
    z
      .object({ event: z.literal('board'), data: boardSchema })
      .meta({ id: 'BoardShownEvent', description: 'The whole board; it replaces what came before' }),
    z.object({ event: z.literal('task'), data: boardTaskSchema }).meta({
      id: 'BoardTaskEvent',
      description: 'A task that was added, changed or moved, as it is now',
      examples: [TASK],
    }),
    z
      .object({ event: z.literal('removed'), data: removedSchema })
      .meta({ id: 'BoardRemovalEvent', description: 'A task that is gone', examples: [REMOVED] }),
    z.object({ event: z.literal('error'), data: failureSchema }).meta({
      id: 'BoardStreamErrorEvent',
      description:
        'The last event of a stream whose viewer lost the right to it, or whose board could not be read again',
    }),
  ])
  .meta({
    id: 'BoardEvent',
    description:
      'One server-sent event. `data` is a line of JSON; lines that begin with a colon keep the connection open.',
    examples: [TASK, REMOVED],
  });

type SseBoardEvent = z.input<typeof boardEventSchema>;

/** The name of an event. */
export type EventName = SseBoardEvent['event'];

/** The data of the events of a name. */
export type EventData<K extends EventName> = Extract<SseBoardEvent, { event: K }>['data'];
