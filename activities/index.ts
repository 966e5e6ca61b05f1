import { type ChatActivityDeps, createRunNextTurn } from './chats/index.ts';
import { createCallProvider } from './providers/index.ts';

/** Every activity of the platform, made from what they work with. */
export function createActivities(deps: ChatActivityDeps) {
  return {
    runNextTurn: createRunNextTurn(deps),
    callProvider: createCallProvider(deps),
  };
}

/** What workflows see of the activities. */
export type Activities = ReturnType<typeof createActivities>;
