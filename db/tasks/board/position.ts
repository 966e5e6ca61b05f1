import type { EntityManager } from '@mikro-orm/postgresql';
import { generateKeyBetween } from 'fractional-indexing';
import { AppError } from '../../../domain/core/app-error.ts';

/** The longest position that is stored: dividing one place in two makes it longer. */
export const MAX_POSITION_LENGTH = 300;

const DIGITS = /^[0-9A-Za-z]+$/;

/** Returns whether a text is a fractional index, to which there are neighbours on both sides. */
export function isPosition(text: string): boolean {
  if (!DIGITS.test(text)) return false;
  try {
    generateKeyBetween(null, text);
    generateKeyBetween(text, null);
    return true;
  } catch {
    return false;
  }
}

/** A task that is given a place on its board: that of the project, or of the chat where it is in none. */
export interface PlacedTask {
  readonly id: string;
  readonly chatId: string;
  readonly projectId: string | null;
}

/**
 * Returns the position that a task takes: the wanted one or, when another task of the board has it by now, one right
 * after that. Changes of one board's order wait for each other until their transactions have ended.
 */
export async function takePosition(em: EntityManager, task: PlacedTask, wanted: string): Promise<string> {
  const { id, chatId, projectId } = task;
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`board ${projectId ?? chatId}`]);
  const chats = projectId === null ? '(?::uuid)' : '(select c.id from chats c where c.project_id = ?)';
  const [first, second] = await em.execute<{ position: string }[]>(
    `select k.position from tasks k where k.chat_id in ${chats} and k.position >= ? and k.id <> ?
      order by k.position limit 2`,
    [projectId ?? chatId, wanted, id],
  );
  if (first?.position !== wanted) return wanted;
  const position = generateKeyBetween(wanted, second?.position ?? null);
  if (position.length <= MAX_POSITION_LENGTH) return position;
  throw new AppError('conflict', 'Too much was moved to this place of the board; choose another one');
}
