import type { EntityManager } from '@mikro-orm/postgresql';
import type { DueWork } from '../../domain/core/due-work.ts';
import type { ResourceKey } from '../../domain/resources.ts';
import type { Transaction } from './transactions.ts';

/**
 * News for those who watch the board of a project: a task was removed, all must be read again, or else something
 * changed.
 */
export interface BoardNews {
  readonly projectId: string;
  /** The task that is gone, and who could see it: the owner of its chat and, if it is shared, others. */
  readonly removed?: { readonly taskId: string; readonly ownerId: string; readonly isShared: boolean } | undefined;
  /** Whether tasks may have come or gone without having changed themselves, with their chats. */
  readonly isWhole?: true | undefined;
}

/** A change of a record that members of its organization are notified of. */
export interface RecordNews {
  readonly orgId: string;
  readonly resource: ResourceKey;
  /** Null when it is not known which one has changed, or when several have. */
  readonly id: string | null;
  readonly action: 'created' | 'changed' | 'deleted';
  /** The only user who may see it; absent when others may. */
  readonly userId?: string | undefined;
  /** The chat that it belongs to, whose readers may see it. */
  readonly chatId?: string | undefined;
}

/** The effects that follow once a write has been committed. The writer declares them; its caller need not know them. */
export interface Consequences {
  /**
   * Users whose credentials or rights have changed: every process forgets what it knew of them and checks their open
   * connections again.
   */
  readonly accessOf?: readonly string[];
  /**
   * Chats that fewer people may read, or an organization in which there are such: open connections to them are checked
   * again.
   */
  readonly accessTo?: readonly string[];
  /** Turns that were asked to stop. */
  readonly stoppedTurns?: readonly string[];
  /** The news for viewers of boards. */
  readonly boards?: readonly BoardNews[];
  /** The changes that members of organizations are notified of. */
  readonly changed?: readonly RecordNews[];
  /** An organization in which turns and knowledge bases that wait may find what they wait for. */
  readonly wakesTurnsOf?: string;
  /**
   * Work that has become due, or is due at another time than before: its workflows are woken. For a schedule, its
   * Temporal Schedule is recreated or removed.
   */
  readonly dueWork?: readonly DueWork[];
}

const noted = new WeakMap<object, Consequences[]>();

/** Registers consequences for after the commit. They are dropped when the transaction is rolled back. */
export function afterCommit(transaction: EntityManager | Transaction, consequences: Consequences): void {
  const all = noted.get(transaction);
  if (all === undefined) throw new Error('consequences are noted in a transaction only');
  all.push(consequences);
}

/** Returns whether what is noted with a transaction will be done. */
export function isCollecting(transaction: object): transaction is EntityManager | Transaction {
  return noted.has(transaction);
}

/** Runs `work` in a transaction, and returns what it noted beside what it returned. */
export async function collectConsequences<T>(
  transaction: EntityManager | Transaction,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly consequences: readonly Consequences[] }> {
  const consequences: Consequences[] = [];
  noted.set(transaction, consequences);
  try {
    return { result: await work(), consequences };
  } finally {
    noted.delete(transaction);
  }
}
