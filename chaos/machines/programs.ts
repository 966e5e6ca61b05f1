import { copyFileSync, existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolder } from '../../scripts/stack/core/files.ts';
import { runCommand } from '../../scripts/stack/core/run-command.ts';
import { cacheFolder } from '../../scripts/stack/home.ts';
import { pinnedTemporalVersions, temporalModule } from '../../scripts/stack/temporal/temporal-versions.ts';

const SWITCH_MODULE = fileURLToPath(new URL('./switch', import.meta.url));
const COMMANDS = ['ip', 'unshare', 'nsenter', 'setpriv', 'mount', 'haproxy', 'faketime', 'go'];
const SERVER_PACKAGES = ['go.temporal.io/server/cmd/server', 'go.temporal.io/server/cmd/tools/sql'];

/** The programs that the machines run beside those of the checkout. */
export interface Programs {
  readonly networkSwitch: string;
  readonly temporalServer: string;
  readonly temporalSqlTool: string;
}

/** What decides whether machines can be had. */
export interface Surroundings {
  readonly platform: string;
  readonly isRoot: boolean;
  has(command: string): boolean;
  readonly hasTun: boolean;
}

/** Returns why there can be no machines here; undefined when there can. */
export function whyNoMachines({ platform, isRoot, has, hasTun }: Surroundings): string | undefined {
  if (platform !== 'linux') return `network namespaces are those of Linux, and this is ${platform}`;
  if (!isRoot) return 'only root may create network namespaces';
  if (!hasTun) return 'there is no /dev/net/tun';
  const missing = COMMANDS.filter((command) => !has(command));
  return missing.length === 0 ? undefined : `these commands are not installed: ${missing.join(', ')}`;
}

/** Returns what this machine offers. */
export function surroundings(): Surroundings {
  const folders = (process.env['PATH'] ?? '').split(':').filter(Boolean);
  return {
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
    has: (command) => folders.some((folder) => existsSync(join(folder, command))),
    hasTun: existsSync('/dev/net/tun'),
  };
}

/** Returns where the programs are. */
export function programs(): Programs {
  const folder = join(cacheFolder(), `temporal-server-${pinnedTemporalVersions().server}`);
  return {
    networkSwitch: join(folder, 'switch'),
    temporalServer: join(folder, 'server'),
    temporalSqlTool: join(folder, 'sql'),
  };
}

/** Builds the missing programs with Go: the server from the modules of which the Temporal command is made. */
export async function buildPrograms(say: (line: string) => void): Promise<void> {
  const { networkSwitch, temporalServer, temporalSqlTool } = programs();
  await build(['-o', networkSwitch, '.'], SWITCH_MODULE);
  if (existsSync(temporalServer) && existsSync(temporalSqlTool)) return;
  say('Building the Temporal server with Go. This is done once and takes some minutes ...');
  const folder = join(temporalServer, '..');
  const module = join(folder, 'module');
  makeFolder(module);
  for (const file of ['go.mod', 'go.sum']) copyFileSync(join(temporalModule, file), join(module, file));
  await build(['-mod=mod', '-o', `${folder}/`, ...SERVER_PACKAGES], module);
}

async function build(args: readonly string[], cwd: string): Promise<void> {
  const env = { ...process.env, CGO_ENABLED: '0' };
  const { code, output } = await runCommand('go', ['build', '-p', '1', '-ldflags', '-s -w', ...args], { cwd, env });
  if (code !== 0) throw new Error(`go build failed in ${cwd}:\n${output}`);
}

/** Returns the library that gives a process a wrong clock; undefined where it is not installed. */
export function findFaketime(): string | undefined {
  return globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')[0];
}
