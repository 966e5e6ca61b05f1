import { provideConsole } from './console/provide-console.ts';
import { stopLeftovers } from './home/stop-leftovers.ts';
import { startPlatform } from './platform/start-platform.ts';
import { choosePorts } from './ports/choose-ports.ts';
import { migrate } from './postgres/migrate.ts';
import { providePostgres } from './postgres/provide-postgres.ts';
import type { StartContext, StartOptions } from './start-context.ts';
import { provideTemporal } from './temporal/provide-temporal.ts';

/** Brings up all parts in order. Resolves to the api's address, or to nothing when stopping has begun meanwhile. */
export async function startStack(options: StartOptions): Promise<string | undefined> {
  if (await stopLeftovers(options.home)) options.say('Stopped what an earlier run had left running.');
  const context = { ...options, ports: await choosePorts(options.settings, options) };
  const [DATABASE_URL, TEMPORAL_ADDRESS, CONSOLE_DIR] = await Promise.all([
    provideDatabase(context),
    provideTemporal(context),
    provideConsole(context),
  ]);
  if (context.stopping.aborted) return undefined;
  const url = await startPlatform(context, { DATABASE_URL, TEMPORAL_ADDRESS, CONSOLE_DIR });
  return context.stopping.aborted ? undefined : url;
}

async function provideDatabase(context: StartContext): Promise<string> {
  const { url, ownerUrl } = await providePostgres(context);
  await migrate(ownerUrl, context);
  return url;
}
