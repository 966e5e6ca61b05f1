import { afterAll, beforeAll } from '@jest/globals';
import { forgetAttempts } from './forget-attempts.ts';
import { atEndOfProcess } from './runner/end-of-process.ts';
import { startTestApi, type TestApi, type TestApiOptions } from './test-api.ts';
import { createTestDatabase } from './test-database.ts';

/** The api of one test file. */
export interface ServedApi {
  /** Without a slash at its end. */
  readonly url: string;
  readonly api: TestApi;
}

interface ServeOptions extends Pick<
  TestApiOptions,
  | 'secretKeys'
  | 'registration'
  | 'trustedProxies'
  | 'workspaces'
  | 'metricsToken'
  | 'temporalUiUrl'
  | 'consoleDir'
  | 'corsOrigins'
  | 'orgLimits'
  | 'privateHosts'
  | 'marketplaceIndexes'
  | 'mcpCatalog'
  | 'bodyTimeMs'
  | 'workerWatchMs'
> {
  /** Whether no other file works with it: for tests that look at all organizations, or leave it in another state. */
  readonly isOwn?: boolean;
}

const shared = new Map<string, Promise<TestApi>>();

/**
 * Serves an api with a database, and without a Temporal server, to the tests of the calling file. Files of a process
 * that ask for the same options share one.
 */
export function serveTestApi({ isOwn = false, ...options }: ServeOptions = {}): ServedApi {
  let api: TestApi | undefined;
  beforeAll(async () => {
    api = await (isOwn ? start(options) : share(options));
  });
  afterAll(async () => {
    if (isOwn) await api?.close();
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

async function share(options: ServeOptions): Promise<TestApi> {
  const key = JSON.stringify(options);
  const started = shared.get(key) ?? start(options);
  if (!shared.has(key)) atEndOfProcess(async () => (await started).close());
  shared.set(key, started);
  const api = await started;
  // All files ask from one address.
  await forgetAttempts(api.database);
  return api;
}

async function start(options: ServeOptions): Promise<TestApi> {
  const database = await createTestDatabase();
  // Nothing listens there: these tests need no engine.
  const api = await startTestApi({ databaseUrl: database.url, temporalAddress: '127.0.0.1:1', ...options });
  const close = async () => {
    await api.close();
    await database.drop();
  };
  return { ...api, close };
}
