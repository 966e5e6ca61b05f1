import { enterMessages } from '../../../db/search/index.ts';
import type { Sweep } from '../sweep.ts';

/** Enters new messages into the index of the search. */
export const enterNewMessages: Sweep = {
  name: 'enter messages',
  run: async ({ database }) => {
    await enterMessages(database);
  },
};
