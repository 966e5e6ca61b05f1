import { afterAll, beforeAll } from '@jest/globals';
import { startTestApi, type TestApi, type TestApiOptions } from './test-api.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

/** The api of one test file. */
export interface ServedApi {
  /** Without a slash at its end. */
  readonly url: string;
  readonly api: TestApi;
}

/** Serves an api with a database of its own, and without a Temporal server, to the tests of the calling file. */
export function serveTestApi(
  options: Pick<
    TestApiOptions,
    | 'registration'
    | 'trustedProxies'
    | 'workspaces'
    | 'metricsToken'
    | 'consoleDir'
    | 'corsOrigins'
    | 'orgLimits'
    | 'privateHosts'
    | 'marketplaceIndexes'
    | 'mcpCatalog'
    | 'bodyTimeMs'
  > = {},
): ServedApi {
  let database: TestDatabase | undefined;
  let api: TestApi | undefined;
  beforeAll(async () => {
    database = await createTestDatabase();
    // Nothing listens there: these tests need no engine.
    api = await startTestApi({ databaseUrl: database.url, temporalAddress: '127.0.0.1:1', ...options });
  });
  afterAll(async () => {
    await api?.close();
    await database?.drop();
  });
  const running = () => {
    if (api === undefined) throw new Error('the api is served only while tests run');
    return api;
  };
  return {
    get url() {
      return running().url;
    },
    get api() {
      return running();
    },
  };
}
