import { afterAll, beforeAll } from '@jest/globals';
import { installScriptedClis, type ScriptedClis } from '../support/cli/install-scripted-clis.ts';
import { inLength } from '../support/in-length.ts';
import { makeProgramCatalog, type ProgramCatalog } from '../support/mcp/program-catalog.ts';
import { sharedServices } from '../support/shared-services.ts';
import { startOwnInstance, type OwnInstance } from '../support/test-instance.ts';
import { describeSandboxed } from '../support/test-sandbox.ts';
import { describeMcpPrograms } from './describe-mcp-programs.ts';
import { describeProviderSignIn } from './describe-provider-sign-in.ts';

const providerCount = inLength(1, Infinity);

describeSandboxed('with programs of the operator', () => {
  let clis: ScriptedClis;
  let catalog: ProgramCatalog;
  let instance: OwnInstance;
  beforeAll(async () => {
    const { bwrap } = sharedServices();
    clis = installScriptedClis();
    catalog = makeProgramCatalog();
    const sandbox = { SANDBOX_BWRAP: 'path' in bwrap ? bwrap.path : '' };
    const worker = { ...clis.settings, ...sandbox, MCP_CATALOG: catalog.path };
    instance = await startOwnInstance({ worker, mcpCatalog: catalog.json });
  });
  afterAll(async () => {
    await instance.close();
    clis.remove();
    catalog.remove();
  });

  describeMcpPrograms(() => instance);
  describeProviderSignIn(
    () => instance,
    () => clis,
    providerCount,
  );
});
