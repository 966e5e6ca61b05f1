import { join } from 'node:path';
import { onStopRequest } from './core/on-stop-request.ts';
import { StartFailure } from './core/start-failure.ts';
import { Terminal } from './core/terminal.ts';
import { readStartSettings, type Settings } from './env.ts';
import { lockHome, prepareHome } from './home.ts';
import { openPartLog, PartList } from './parts/part-list.ts';
import { registrationOf, welcome } from './welcome.ts';
import { startStack } from './start-stack.ts';

// `npm start`: brings up everything that one machine needs, watches over it, and takes it down in order.

const startedAt = Date.now();
const terminal = new Terminal();
const say = (line: string): void => terminal.say(line);
const stopping = new AbortController();
const parts = new PartList({ say, stopping: stopping.signal });
const stopRequested = new Promise<void>((resolve) =>
  stopping.signal.addEventListener('abort', () => resolve(), { once: true }),
);

onStopRequest(() => {
  if (stopping.signal.aborted) return parts.kill();
  terminal.skipLine();
  say('Stopping (Ctrl-C again to hurry) ...');
  stopping.abort();
});
process.exit(await main());

async function main(): Promise<number> {
  const read = readStartSettings(process.env);
  if ('issues' in read) {
    terminal.fail(read.issues.join('\n'));
    return 1;
  }
  let release: (() => void) | undefined;
  let exitCode = 0;
  try {
    const home = prepareHome(read.settings.EVERTURN_HOME);
    ({ release } = await lockHome(home, { say, stopping: stopping.signal }));
    await Promise.race([start(read.settings, home), stopRequested]);
    await stopRequested;
  } catch (error) {
    exitCode = 1;
    stopping.abort();
    terminal.fail(describe(error));
  }
  await parts.stop();
  release?.();
  if (exitCode === 0) say('Stopped.');
  return exitCode;
}

async function start(settings: Settings, home: ReturnType<typeof prepareHome>): Promise<void> {
  const openLog = (name: string) => openPartLog(join(home.logs, `${name}.log`));
  const url = await startStack({ settings, home, parts, stopping: stopping.signal, say, openLog });
  if (url === undefined) return;
  const seconds = (Date.now() - startedAt) / 1000;
  const registration = await registrationOf(url, join(home.logs, 'api.log'));
  if (stopping.signal.aborted) return;
  terminal.welcome(welcome({ url: settings.PUBLIC_URL ?? url, home: home.folder, seconds, registration }));
}

function describe(error: unknown): string {
  if (error instanceof StartFailure) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
