import type { Client } from '@temporalio/client';
import type { DueWork } from '../../domain/core/due-work.ts';
import { startDetached, wakeWorkflow, type WorkflowStart } from '../core/client.ts';
import { extractionStart } from '../files/client.ts';
import { EXTRACT_TEXT } from '../files/contract.ts';
import { issuePushStart } from '../issue-pushes/client.ts';
import { PUSH_ISSUES } from '../issue-pushes/contract.ts';
import { issueSyncStart } from '../issue-sync/client.ts';
import { SYNC_ISSUES } from '../issue-sync/contract.ts';
import { documentStart, embeddingStart } from '../knowledge-bases/client.ts';
import { EMBED_KNOWLEDGE_BASE, READ_DOCUMENT } from '../knowledge-bases/contract.ts';
import { indexRefreshStart } from '../marketplace/client.ts';
import { REFRESH_MARKETPLACE_INDEX } from '../marketplace/contract.ts';
import { repoTreeStart } from '../repo-trees/client.ts';
import { REFRESH_REPO_TREE } from '../repo-trees/contract.ts';
import { messagesStart } from '../search/client.ts';
import { ENTER_MESSAGES } from '../search/contract.ts';
import { taskStart } from '../tasks/client.ts';
import { BEGIN_TASK } from '../tasks/contract.ts';
import { deliveriesStart } from '../webhooks/client.ts';
import { DELIVER_WEBHOOKS } from '../webhooks/contract.ts';

/** Work whose workflows wait to be woken: while Temporal is away, the rest is left to the recovery scan. */
const MAX_WAITING = 10_000;
/** Workflows that are woken at once. */
const AT_ONCE = 8;
/** Messages come by the hundred a second, and one workflow enters all: it is woken once in so many milliseconds. */
const MESSAGES_AFTER_MS = 2_000;

/**
 * Has the workflow of some work read its rows: starts it, or signals the one that is open. Harmless to repeat. Throws
 * when Temporal does not respond within five seconds.
 */
export async function wakeDueWork(client: Client, work: DueWork): Promise<void> {
  await wakeWorkflow(client, ...workflowOf(work));
}

/**
 * Makes sure that the workflow of some work is open, without a signal to one that is. Harmless to repeat. Throws when
 * Temporal does not respond within five seconds.
 */
export async function startDueWork(client: Client, work: DueWork): Promise<void> {
  await startDetached(client, ...workflowOf(work));
}

function workflowOf(work: DueWork): [type: string, start: WorkflowStart] {
  switch (work.kind) {
    case 'repo-tree':
      return [REFRESH_REPO_TREE, repoTreeStart(work)];
    case 'document':
      return [READ_DOCUMENT, documentStart(work)];
    case 'embedding':
      return [EMBED_KNOWLEDGE_BASE, embeddingStart(work)];
    case 'webhook':
      return [DELIVER_WEBHOOKS, deliveriesStart(work)];
    case 'issue-push':
      return [PUSH_ISSUES, issuePushStart(work)];
    case 'issue-sync':
      return [SYNC_ISSUES, issueSyncStart(work)];
    case 'file-text':
      return [EXTRACT_TEXT, extractionStart(work)];
    case 'task':
      return [BEGIN_TASK, taskStart(work)];
    case 'marketplace-index':
      return [REFRESH_MARKETPLACE_INDEX, indexRefreshStart(work)];
    case 'messages':
      return [ENTER_MESSAGES, messagesStart()];
    default:
      return work satisfies never;
  }
}

/** Wakes workflows in the background, so that whoever stores work waits for Temporal neither to answer nor to fail. */
export class DueWorkQueue {
  readonly #client: Client;
  readonly #onFailure: (error: unknown, work: DueWork) => void;
  /** By what it is: work that becomes due again before its workflow is woken is woken once. */
  readonly #waiting = new Map<string, DueWork>();
  #active = 0;
  #messagesWait = false;

  /** @param onFailure takes the error of a workflow that could not be woken, which the recovery scan wakes later. */
  constructor(client: Client, onFailure: (error: unknown, work: DueWork) => void) {
    this.#client = client;
    this.#onFailure = onFailure;
  }

  /** Has the workflow of the work woken soon. Never throws. */
  add(work: DueWork): void {
    if (work.kind !== 'messages') return this.#queue(work);
    if (this.#messagesWait) return;
    this.#messagesWait = true;
    setTimeout(() => {
      this.#messagesWait = false;
      this.#queue(work);
    }, MESSAGES_AFTER_MS).unref();
  }

  #queue(work: DueWork): void {
    if (this.#waiting.size < MAX_WAITING) this.#waiting.set(JSON.stringify(work), work);
    if (this.#active < AT_ONCE) void this.#wakeWaiting();
  }

  async #wakeWaiting(): Promise<void> {
    this.#active += 1;
    for (const [key, work] of this.#waiting) {
      this.#waiting.delete(key);
      await wakeDueWork(this.#client, work).catch((error: unknown) => this.#onFailure(error, work));
    }
    this.#active -= 1;
  }
}
