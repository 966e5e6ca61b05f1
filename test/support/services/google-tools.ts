import { gmail } from '../../../activities/tools/builtin/communication/gmail.ts';
import { googleCalendar } from '../../../activities/tools/builtin/communication/google-calendar.ts';
import { googleDrive } from '../../../activities/tools/builtin/cloud/google-drive.ts';
import { googleSheets } from '../../../activities/tools/builtin/data/google-sheets.ts';
import type { ToolArguments } from '../../../activities/tools/tool.ts';
import { createTestTools, prepareCall, type TestTools } from '../tool-context.ts';
import type { Routes } from './google-routes.ts';
import { GoogleServer } from './google-server.ts';

const TOOLS = { gmail, google_calendar: googleCalendar, google_drive: googleDrive, google_sheets: googleSheets };
const API_PATHS = { gmail: '/gmail/v1', google_calendar: '/calendar/v3', google_drive: '', google_sheets: '/v4' };

/** The access token of the integration in these tests. */
export const GOOGLE_TOKEN = 'ya29.a-token-of-the-tests';

/** A tool for a service of Google, and the server that it works with. */
export interface GoogleTool {
  readonly server: GoogleServer;
  readonly tools: TestTools;
  /** Runs a call, and returns the value of its result. */
  use(args: ToolArguments): Promise<unknown>;
  close(): Promise<void>;
}

/** Starts a server with these routes, and opens the tool of a kind that works with it. */
export async function startGoogleTool(kind: keyof typeof TOOLS, routes: Routes): Promise<GoogleTool> {
  const server = await GoogleServer.start(routes);
  const integration = {
    kind,
    name: 'Ours',
    apiUrl: `${server.url}${API_PATHS[kind]}`,
    fields: ['access_token'],
    secretPlaces: [],
    secrets: { access_token: GOOGLE_TOKEN },
  } as const;
  const tools = await createTestTools({ privateHosts: `127.0.0.1:${server.port}`, integrations: [integration] });
  return {
    server,
    tools,
    use: async (args) => (await prepareCall(TOOLS[kind], args).run(tools.context)).value,
    close: async () => {
      await tools.close();
      server.close();
    },
  };
}
