import type { Client } from '@temporalio/client';
import type { Database } from '../../db/core/index.ts';
import { findUnreadFiles } from '../../db/files/index.ts';
import { findOverduePushes } from '../../db/issue-pushes/index.ts';
import { findOverdueSyncs } from '../../db/issue-sync/index.ts';
import { findOverdueEmbeddings, findUnreadDocuments } from '../../db/knowledge-bases/index.ts';
import { findOverdueTrees } from '../../db/repo-trees/index.ts';
import { findUnknownMessages } from '../../db/search/index.ts';
import { findOverdueTasks } from '../../db/tasks/index.ts';
import { findOverdueWebhooks } from '../../db/webhooks/index.ts';
import type { DueWork } from '../../domain/core/due-work.ts';
import { settleAll } from '../../domain/core/settle-all.ts';
import { startDueWork, wakeDueWork } from '../../workflows/due-work/client.ts';
import { BATCH, type Sweep } from './sweep.ts';

interface Recovery {
  /** Reads an index that holds nothing while workflows do the work. */
  readonly findOverdue: (database: Database) => Promise<readonly DueWork[]>;
  /** A workflow that waits has to be woken; one that never waits for long, only started. */
  readonly recover: (client: Client, work: DueWork) => Promise<void>;
}

const RECOVERIES: readonly Recovery[] = [
  { findOverdue: findOverdueTrees, recover: wakeDueWork },
  { findOverdue: findUnreadDocuments, recover: startDueWork },
  { findOverdue: findOverdueEmbeddings, recover: wakeDueWork },
  { findOverdue: findOverdueWebhooks, recover: wakeDueWork },
  { findOverdue: findOverduePushes, recover: startDueWork },
  { findOverdue: findOverdueSyncs, recover: startDueWork },
  { findOverdue: findUnreadFiles, recover: startDueWork },
  { findOverdue: findUnknownMessages, recover: wakeDueWork },
  { findOverdue: findOverdueTasks, recover: wakeDueWork },
];

/**
 * Wakes the workflows of work that is overdue: a process has died between storing it and waking them, Temporal was
 * away, or it has lost them. In health there is none.
 */
export const wakeOverdueWork: Sweep = {
  name: 'wake workflows of overdue work',
  run: async ({ database, client }) => {
    await settleAll(
      RECOVERIES.map(async ({ findOverdue, recover }) => {
        await inBatches(await findOverdue(database), async (work) => recover(client, work));
      }),
    );
  },
};

/** Recovers all work, and throws the first error at the end. When all of a batch fails, the next scan does the rest. */
async function inBatches(overdue: readonly DueWork[], recover: (work: DueWork) => Promise<void>): Promise<void> {
  const failures: PromiseRejectedResult[] = [];
  for (let at = 0; at < overdue.length; at += BATCH) {
    const outcomes = await Promise.allSettled(overdue.slice(at, at + BATCH).map(recover));
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
    failures.push(...failed);
    if (failed.length === outcomes.length) break;
  }
  const [first] = failures;
  if (first !== undefined) throw first.reason;
}
