import { z } from 'zod';
import { RESOURCE_KEYS } from '../../domain/resources.ts';
import type { RecordNews } from '../core/after-commit.ts';
import { parseJsonText } from '../../domain/core/objects.ts';

/**
 * The channel that notifies every process that serves members of an organization of changed records. A hint only: after
 * a missed notification the records are read again.
 */
export const RECORDS_CHANNEL = 'record_news';

/** A notification's payload must stay below 8,000 bytes; each item has some 250. */
const ITEMS_OF_PAYLOAD = 25;

const newsSchema = z.array(
  z.object({
    orgId: z.string(),
    resource: z.enum(RESOURCE_KEYS),
    id: z.string().nullable(),
    action: z.enum(['created', 'changed', 'deleted']),
    userId: z.string().optional(),
    chatId: z.string().optional(),
  }),
);

/** Packs news into as few payloads as fit. */
export function packRecordNews(news: readonly RecordNews[]): string[] {
  const payloads: string[] = [];
  for (let first = 0; first < news.length; first += ITEMS_OF_PAYLOAD)
    payloads.push(JSON.stringify(news.slice(first, first + ITEMS_OF_PAYLOAD)));
  return payloads;
}

/** Reads a payload that `packRecordNews` made; nothing for any other. */
export function unpackRecordNews(payload: string): RecordNews[] {
  return newsSchema.safeParse(parseJsonText(payload)).data ?? [];
}
