import { recordFile } from '../home/record-file.ts';
import type { RunningPart } from '../parts/spawn-part.ts';
import { type NodePartOptions, startNodePart } from '../parts/start-node-part.ts';
import type { StartContext } from '../start-context.ts';
import { keptSecretKey } from '../home/secret-key.ts';

/** The services that the parts of the platform connect to, and the folder of the built console, if there is one. */
type Services = {
  readonly DATABASE_URL: string;
  readonly TEMPORAL_ADDRESS: string;
  readonly CONSOLE_DIR: string | undefined;
};

/** Starts the api and the worker side by side. Resolves to the api's address when both are ready. */
export async function startPlatform(context: StartContext, services: Services): Promise<string> {
  const env = partEnvironment(context, services);
  const url = `http://${reachableHost(context.settings.HOST)}:${context.ports.PORT}`;
  await Promise.all([
    // What lives for one request is gone soon. A turn lives longer: with a small nursery it would be copied again and
    // again.
    keepNodePart(context, 'api', { env, nurseryMegabytes: 4, ready: { url: `${url}/readyz` } }),
    keepNodePart(context, 'worker', { env, nurseryMegabytes: 8, ready: 'message' }),
  ]);
  return url;
}

function keepNodePart(
  { home, parts, openLog }: StartContext,
  key: 'api' | 'worker',
  options: Pick<NodePartOptions, 'env' | 'nurseryMegabytes' | 'ready'>,
): Promise<RunningPart> {
  const log = openLog(key);
  const part: NodePartOptions = {
    ...options,
    entry: `${key}/main.ts`,
    heapMegabytes: 512,
    log: log.write,
    recordFile: recordFile(home, key),
    // Not by a request, which waits behind all others; nor whether it is ready: a database that is away is no reason to
    // end an api.
    healthy: 'message',
  };
  return parts.keep({ key, name: key, log, start: (signal) => startNodePart({ ...part, signal }) });
}

/** Returns an address that stands for all of the machine's is called by one of them. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

/** Returns the environment of the api and the worker: this process's, completed with what was found or started here. */
function partEnvironment({ settings, ports, home }: StartContext, services: Services): NodeJS.ProcessEnv {
  return {
    ...process.env,
    ...services,
    ...(settings.SECRET_KEY === undefined && { SECRET_KEY: keptSecretKey(home) }),
    EVERTURN_HOME: home.folder,
    PORT: String(ports.PORT),
    REGISTRATION: settings.REGISTRATION,
  };
}
