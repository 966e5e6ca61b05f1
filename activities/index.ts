import { createRemoveOrgFiles, createRemoveOrgRecords, type PurgeDeps } from './orgs/index.ts';
import { type CallProviderDeps, createCallProvider } from './providers/index.ts';
import { composeToolsets, type SourceDeps, toolSources } from './tools/index.ts';
import { createRunNextTurn, createRunTool, runCall, type ToolDeps, type TurnDeps } from './turns/index.ts';

/** The dependencies of each capability's activities. */
export interface ActivityDeps {
  readonly turns: Omit<TurnDeps, 'toolsetFor'>;
  readonly calls: Omit<ToolDeps, 'toolsetFor'>;
  readonly toolSources: SourceDeps;
  readonly providers: CallProviderDeps;
  readonly orgs: PurgeDeps;
}

/** Makes every activity of the platform. */
export function createActivities(deps: ActivityDeps) {
  const { providers, orgs } = deps;
  const toolsetFor = composeToolsets(toolSources(deps.toolSources));
  const calls = { ...deps.calls, toolsetFor };
  const turns = { ...deps.turns, toolsetFor };
  return {
    runNextTurn: createRunNextTurn(turns, async (call, cancellation) => runCall(calls, call, cancellation)),
    runTool: createRunTool(calls),
    callProvider: createCallProvider(providers),
    removeOrgRecords: createRemoveOrgRecords(orgs),
    removeOrgFiles: createRemoveOrgFiles(orgs),
  };
}

/** The activities as workflows see them. */
export type Activities = ReturnType<typeof createActivities>;
