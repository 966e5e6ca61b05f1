import type { BuiltinTool } from '../../../activities/tools/define-tool.ts';
import type { ToolArguments, ToolOutput } from '../../../activities/tools/tool.ts';
import { integrationKind, type IntegrationKindKey } from '../../../domain/integrations/kinds/index.ts';
import type { Secrets, Settings } from '../../../domain/integrations/integration-kind.ts';
import { OutsideServer } from '../outside-server.ts';
import { createTestTools, prepareCall, type TestTools } from '../tool-context.ts';

/** A tool with an integration whose service is a server of the test. */
export interface ServiceFixture {
  readonly server: OutsideServer;
  readonly tools: TestTools;
  /** Runs a call, and returns the value of its result. */
  use(args: ToolArguments): Promise<unknown>;
  close(): Promise<void>;
}

interface FixtureOptions {
  readonly kind: IntegrationKindKey;
  readonly secrets: Secrets;
  readonly settings?: Settings;
  /** Whether an earlier attempt at the calls may have done what they do. */
  readonly isRepeated?: boolean;
}

/** Starts the server of a service, and a tool that works with it by an integration of its kind. */
export async function startService(
  tool: BuiltinTool,
  { kind, secrets, settings = {}, isRepeated = false }: FixtureOptions,
): Promise<ServiceFixture> {
  const server = await OutsideServer.start();
  const integration = {
    kind,
    name: 'Ours',
    apiUrl: `${server.url}${integrationKind(kind).apiPath}`,
    fields: Object.keys(secrets),
    secretPlaces: [],
    settings,
    secrets,
  } as const;
  const privateHosts = `127.0.0.1:${server.port}`;
  const tools = await createTestTools({ privateHosts, integrations: [integration], isRepeated });
  return {
    server,
    tools,
    use: async (args) => {
      const output: ToolOutput = await prepareCall(tool, args).run(tools.context);
      return output.value;
    },
    close: async () => {
      await tools.close();
      server.close();
    },
  };
}
