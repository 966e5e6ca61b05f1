import { z } from 'zod';

// Read from rows that older code may have written.
const paging = {
  /** How many records of the list that begins there were read. */
  offset: z.int(),
  /** How many are asked for at once: fewer when an answer is too large. */
  size: z.int(),
  /** How many pages of issues and comments were read; absent for none. */
  pages: z.int().optional(),
  /** Identifies the page before among those of the list; absent for the first. */
  before: z.string().optional(),
};

const reading = {
  /** Only changes since this time are read; null for everything. */
  since: z.string().nullable(),
  ...paging,
};

/** Where a sync continues. It is stored together with what was read before. */
export const syncPositionSchema = z.discriminatedUnion('phase', [
  z.object({ phase: z.literal('begin') }),
  z.object({ phase: z.literal('issues'), ...reading }),
  z.object({ phase: z.literal('comments'), ...reading }),
  /** The comments of one issue after the other, at hosts that do not list those of a repository. */
  z.object({ phase: z.literal('notes'), issueNumber: z.int().nullable(), ...paging }),
  z.object({ phase: z.literal('end') }),
]);

export type SyncPosition = z.output<typeof syncPositionSchema>;

/** A position within a list of records that have changed since some time. */
export type ListPosition = Extract<SyncPosition, { phase: 'issues' | 'comments' }>;

/** A position within any list. */
interface Paged {
  readonly offset: number;
  readonly size: number;
  readonly pages?: number | undefined;
  readonly before?: string | undefined;
}

/** The properties of a page that decide the next page of a list. */
export interface ReadPage {
  /** The records of the page, those included that are not of the kind that is read. */
  readonly count: number;
  readonly hasNext: boolean;
  /** Identifies the page: the ids of its records, and when they were changed. */
  readonly digest: string;
  /** When the last record was changed; undefined when the host does not sort by that. */
  readonly lastChange: Date | undefined;
}

/** The pages of issues and of comments of a repository, and of comments of an issue: millions of records. */
const MAX_PAGES = 20_000;

/**
 * The sizes of pages. Each divides those before it, so that a list can continue with smaller pages, and with larger
 * ones.
 */
const SIZES = [100, 50, 25, 5, 1] as const;

/**
 * Returns where a list continues; undefined at its end. Where records come in the order of their changes, the next page
 * begins with the last change that was read: one that is changed in the meantime moves to the end, and must not move
 * others to a page that was read already.
 */
export function nextPosition<P extends ListPosition>(position: P, page: ReadPage, maxSize: number): P | undefined {
  if (!page.hasNext || page.count === 0) return undefined;
  const since = page.lastChange?.toISOString();
  if (since !== undefined && (position.since === null || since > position.since)) {
    const { before: _, ...rest } = position;
    return { ...(rest as P), since, offset: 0, size: maxSize, pages: pagesAfter(position) };
  }
  return behind(position, page, maxSize);
}

/** Returns the position behind a page that was read at `position`. */
export function behind<P extends Paged>(position: P, { digest }: Pick<ReadPage, 'digest'>, maxSize: number): P {
  return { ...further(position, maxSize), pages: pagesAfter(position), before: digest };
}

/**
 * Returns whether a list seems endless: a page repeats the one before, or there are more pages than any repository has.
 * Otherwise a host could keep a sync running for ever.
 */
export function isEndless({ pages = 0, before }: Paged, page: Pick<ReadPage, 'count' | 'hasNext' | 'digest'>): boolean {
  return page.hasNext && page.count > 0 && (page.digest === before || pages >= MAX_PAGES);
}

function pagesAfter({ pages = 0 }: Paged): number {
  return pages + 1;
}

/** Returns the position behind the page at `position`, with pages as large as they can be from there on. */
export function further<P extends Paged>(position: P, maxSize: number): P {
  const offset = position.offset + position.size;
  return { ...position, offset, size: SIZES.find((size) => size <= maxSize && offset % size === 0) ?? 1 };
}

/** Returns the position with smaller pages, for an answer that was too large; undefined when it was a single record. */
export function withSmallerPages<P extends Paged>(position: P): P | undefined {
  const size = SIZES.find((smaller) => smaller < position.size);
  return size && { ...position, size };
}
