import { z } from 'zod';
import type { BoardNews, Database } from '../../core/index.ts';
import { BOARD_TASK, type BoardTask, waitsOf } from './read-board.ts';
import { parseJsonText } from '../../../domain/core/objects.ts';

/**
 * The channel on which every process that serves viewers of boards is told of changes. A hint only: the rows decide.
 */
export const BOARD_CHANNEL = 'board_news';

const newsSchema: z.ZodType<BoardNews> = z.object({
  projectId: z.string(),
  removed: z.object({ taskId: z.string(), ownerId: z.string(), isShared: z.boolean() }).optional(),
  isWhole: z.literal(true).optional(),
});

/** Returns the payload of a notification. */
export function packBoardNews(news: BoardNews): string {
  return JSON.stringify(news);
}

/** Reads a payload that `packBoardNews` made; `undefined` for any other. */
export function unpackBoardNews(payload: string): BoardNews | undefined {
  return newsSchema.safeParse(parseJsonText(payload)).data;
}

/** A task of a board that has changed lately, and who may see it. */
export interface ChangedTask extends BoardTask {
  readonly projectId: string;
  /** The owner of its chat. */
  readonly ownerId: string;
  /** Whether others may see it, who see shared chats. */
  readonly isShared: boolean;
  /** Differs from one change to the next. */
  readonly version: string;
}

/**
 * For how long a change is found, in seconds: it has the time at which its transaction began, and is seen when that has
 * been stored.
 */
export const CHANGED_FOR_SECONDS = 15;

/** Returns the tasks on boards of these projects that have changed lately, the latest first, at most `limit`. */
export async function readChangedTasks(
  { system }: Database,
  projectIds: readonly string[],
  limit: number,
): Promise<ChangedTask[]> {
  const { rows } = await system.query<ChangedTask>({
    name: 'read-changed-tasks',
    text: `with changed as materialized (
        select ${BOARD_TASK}, c.project_id as "projectId", c.user_id as "ownerId", not c.is_private as "isShared",
          k.xmin::text as version
        from tasks k join chats c on c.id = k.chat_id
        where k.updated_at > now() - interval '${CHANGED_FOR_SECONDS} seconds' and c.project_id = any($1::uuid[])
          and c.deleted_at is null
        order by k.updated_at desc limit $2
      ),
      waits as (${waitsOf('array(select id from changed)')})
      select changed.*, coalesce(waits.ids, '{}') as "waitsFor"
      from changed left join waits on waits.task_id = changed.id order by changed."updatedAt" desc`,
    values: [projectIds, limit],
  });
  return rows;
}
