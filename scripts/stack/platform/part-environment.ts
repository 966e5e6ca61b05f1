import { keptSecretKey } from '../home/secret-key.ts';
import type { StartContext } from '../start-context.ts';

/** The services that the parts of the platform connect to, and the folder of the built console, if there is one. */
export type Services = {
  readonly DATABASE_URL: string;
  readonly TEMPORAL_ADDRESS: string;
  readonly CONSOLE_DIR: string | undefined;
};

/** Returns the environment of the api and the worker: this process's, completed with what was found or started here. */
export function partEnvironment({ settings, ports, home }: StartContext, services: Services): NodeJS.ProcessEnv {
  const { HOST, TEMPORAL_NAMESPACE } = settings;
  const own = {
    ...services,
    TEMPORAL_NAMESPACE,
    SECRET_KEY: settings.SECRET_KEY ?? keptSecretKey(home),
    EVERTURN_HOME: home.folder,
    PORT: String(ports.PORT),
    HOST,
    // Who starts it on one machine wants to try it; in production people are invited.
    REGISTRATION: settings.REGISTRATION ?? (process.env['NODE_ENV'] === 'production' ? 'invite' : 'open'),
  };
  return { ...process.env, ...Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)) };
}
