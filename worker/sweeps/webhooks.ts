import { takeDueWebhooks } from '../../db/webhooks/index.ts';
import { settleAll } from '../../domain/core/settle-all.ts';
import { wakeWebhook } from '../../workflows/webhooks/client.ts';
import { BATCH, type Sweep } from './sweep.ts';

/** Batches that one look wakes at most, so that a worker that stops need not wait for a long backlog. */
const MAX_BATCHES = 10;

/** Has the addresses of webhooks told of what was done, and goes on where a workflow was not started, or is gone. */
export const deliverDueWebhooks: Sweep = {
  name: 'deliver due webhooks',
  run: async ({ database, client }) => {
    for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
      const due = await takeDueWebhooks(database, BATCH);
      await settleAll(due.map(async (target) => wakeWebhook(client, target)));
      if (due.length < BATCH) return;
    }
  },
};
