import { takeDueWebhooks } from '../../db/webhooks/index.ts';
import { settleAll } from '../../domain/core/settle-all.ts';
import { wakeWebhook } from '../../workflows/webhooks/client.ts';
import { BATCH, type Sweep } from './sweep.ts';

/** Has the addresses of webhooks told of what was done, and goes on where a workflow was not started, or is gone. */
export const deliverDueWebhooks: Sweep = {
  name: 'deliver due webhooks',
  run: async ({ database, client }) => {
    const due = await takeDueWebhooks(database, BATCH);
    await settleAll(due.map(async (target) => wakeWebhook(client, target)));
  },
};
