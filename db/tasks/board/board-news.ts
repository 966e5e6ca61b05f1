import { z } from 'zod';
import type { BoardNews } from '../../core/index.ts';

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
  return newsSchema.safeParse(parsedJson(payload)).data;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
