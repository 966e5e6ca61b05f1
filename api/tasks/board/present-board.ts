import type { z } from 'zod';
import type { BoardColumn, BoardTask } from '../../../db/tasks/index.ts';
import { present } from '../../../domain/core/record-names.ts';
import { hideAgents } from '../../../domain/permissions/index.ts';
import type { OrgCaller } from '../../context/api-context.ts';
import { boardSchema, boardTaskSchema } from './schema.ts';

/** Whose board it is: what they may see of agents. */
export type BoardCaller = Pick<OrgCaller, 'policy'>;

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
