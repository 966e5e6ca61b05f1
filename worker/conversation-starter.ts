import type { Client } from '@temporalio/client';
import { LRUCache } from 'lru-cache';
import type { ReadyTurn } from '../db/turns/ready-turn.ts';
import { startConversation, wakeConversation } from '../workflows/turns/client.ts';
import { LINGER_MS } from '../workflows/turns/contract.ts';

/** The conversations that are remembered as open. */
const MAX_OPEN = 20_000;

/**
 * Starts or signals the conversation workflow of each turn that this worker begins. A first message starts a workflow
 * that does not linger, the next one starts one that does, and those after it signal that one.
 */
export class ConversationStarter {
  readonly #client: Client;
  // By chat: those that still lingered when they were last woken here.
  readonly #open = new LRUCache<string, true>({ max: MAX_OPEN, ttl: LINGER_MS });

  /**
   * @param client a client on the worker's own connection: conversations that it starts begin in this process.
   */
  constructor(client: Client) {
    this.#client = client;
  }

  /** Throws when Temporal does not respond within some seconds. */
  async follow({ orgId, chatId, seq, isFollowUp: lingers }: ReadyTurn): Promise<void> {
    const start = { orgId, chatId, seq, lingers };
    const isOpen = lingers && this.#open.has(chatId);
    if (lingers) this.#open.set(chatId, true);
    if (isOpen || !(await startConversation(this.#client, start))) await wakeConversation(this.#client, start);
  }
}
