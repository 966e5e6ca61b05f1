import { takeDueDocuments, takeDueEmbeddings } from '../../../db/knowledge-bases/index.ts';
import { settleAll } from '../../../domain/core/settle-all.ts';
import { startEmbedding, startReading } from '../../../workflows/knowledge-bases/client.ts';
import { BATCH, type Sweep } from '../sweep.ts';

/** Has the documents of knowledge bases read for which nobody could be asked to when they were added. */
export const readDueDocuments: Sweep = {
  name: 'read documents of knowledge bases',
  run: async ({ database, client }) => {
    const due = await takeDueDocuments(database, BATCH);
    await settleAll(due.map(async (document) => startReading(client, document)));
  },
};

/** Has vectors made for the passages of knowledge bases that have none. */
export const embedDuePassages: Sweep = {
  name: 'embed passages of knowledge bases',
  run: async ({ database, client }) => {
    const due = await takeDueEmbeddings(database, BATCH);
    await settleAll(due.map(async (base) => startEmbedding(client, base)));
  },
};
