import { composeToolsets, type SourceDeps, toolSources } from './tools/index.ts';
import { createRunNextTurn, createRunTool, type ToolDeps, type TurnDeps } from './turns/index.ts';
import { createRemoveOrgFiles, createRemoveOrgRecords } from './orgs/index.ts';
import { type CallProviderDeps, createCallProvider } from './providers/index.ts';

/** Every activity of the platform, made from what they work with. */
export function createActivities(given: Omit<TurnDeps & ToolDeps, 'toolsetFor'> & SourceDeps & CallProviderDeps) {
  const deps = { ...given, toolsetFor: composeToolsets(toolSources(given)) };
  return {
    runNextTurn: createRunNextTurn(deps),
    runTool: createRunTool(deps),
    callProvider: createCallProvider(deps),
    removeOrgRecords: createRemoveOrgRecords(deps),
    removeOrgFiles: createRemoveOrgFiles(deps),
  };
}

/** What workflows see of the activities. */
export type Activities = ReturnType<typeof createActivities>;
