import { z } from 'zod';
import type { BoardColumn, BoardTask } from '../../../db/tasks/board.ts';
import { present } from '../../../domain/core/record-names.ts';
import { hideAgents } from '../../../domain/permissions/restrict.ts';
import type { OrgCaller } from '../../context/api-context.ts';
import { idOf } from '../../resources/id-fields.ts';
import { status, taskSchema } from '../schema.ts';
import { EXAMPLE_ID, EXAMPLE_TIME } from '../../http/fields.ts';

/** Whose board it is: what they may see of agents. */
type BoardCaller = Pick<OrgCaller, 'policy'>;

interface Board {
  readonly projectId: string;
  readonly columns: readonly BoardColumn[];
}

/** Returns a board as the API shows it, without the agents that the caller may not use. */
export function presentBoard({ policy }: BoardCaller, { projectId, columns }: Board): z.input<typeof boardSchema> {
  const shown = columns.map((column) => ({ ...column, tasks: column.tasks.map((task) => hideAgents(policy, task)) }));
  return present(boardSchema, { projectId, columns: shown });
}

/** Returns one task of a board in the same way. */
export function presentBoardTask({ policy }: BoardCaller, task: BoardTask): z.input<typeof boardTaskSchema> {
  return present(boardTaskSchema, hideAgents(policy, task));
}

/** A task as a board shows it. */
const boardTaskSchema = taskSchema
  .pick({
    id: true,
    chat_id: true,
    sub_chat_id: true,
    title: true,
    assigned_agent_id: true,
    priority: true,
    status: true,
    position: true,
    waits_for: true,
    attempts: true,
    issue_id: true,
    parent_task_id: true,
    created_at: true,
    updated_at: true,
  })
  .meta({ id: 'BoardTask' });

const boardColumnSchema = z
  .object({
    status,
    tasks: boardTaskSchema
      .array()
      .meta({ description: 'In order; if there are more than 1,000, or more than 700,000 bytes, only the last ones' }),
    total: z.int(),
  })
  .meta({ id: 'BoardColumn' });

/** Which board. */
export const boardQuery = z.strictObject({ project_id: idOf('projects') });

/** The board of a project. */
export const boardSchema = z
  .object({ project_id: z.uuid(), columns: boardColumnSchema.array() })
  .meta({ id: 'Board', description: 'The tasks of a project by status, in the order of the statuses' });

const removedSchema = z.object({ id: z.uuid() }).meta({ id: 'BoardRemoval' });

const failureSchema = z
  .object({ message: z.string().meta({ description: 'Why the stream ends, human-readable' }) })
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
- \`task\`: \`BoardTask\`, a task that was added, changed or moved, in its current state
- \`removed\`: \`BoardRemoval\`, a task that was removed
- \`error\`: \`BoardStreamError\`, the last event of a stream whose viewer lost the right to it, or whose board could not be read again`,
  examples: [TASK, { id: EXAMPLE_ID }],
});

/** The name of an event. */
export type EventName = keyof typeof BOARD_EVENTS;

/** The data of the events of a name. */
export type EventData<K extends EventName> = z.input<(typeof BOARD_EVENTS)[K]>;
