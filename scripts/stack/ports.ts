import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartFailure } from './core/start-failure.ts';
import type { Settings } from './env.ts';
import type { Home } from './home.ts';
import { commandLine, takeLock } from './processes.ts';

/** The ports of a start, by the variable that sets them. That of a part which is not embedded is not used. */
export type Ports = { readonly PORT: number; readonly POSTGRES_PORT: number; readonly TEMPORAL_PORT: number };
type Variable = keyof Ports;
type Part = Omit<WantedPort, 'port'> & { readonly variable: Variable; readonly usual: number };

/**
 * Ports used where the environment names no others. Those of the embedded parts lie below the range from which systems
 * take the local ports of outgoing connections (from 32768 on Linux): a client that reconnects could otherwise occupy
 * the very port it calls.
 */
const usualPorts: Ports = { PORT: 3000, POSTGRES_PORT: 25_432, TEMPORAL_PORT: 27_233 };
/** How many ports after the usual one are tried. */
const TRIED = 200;

/**
 * Chooses the ports of a start: those that are set, which have to be free; else the usual ones, those of the last start
 * from the same data folder, or the next free ones, as beside another checkout that runs. Names all that are set and
 * cannot be had at once, so that one correction is enough.
 */
export async function choosePorts(
  settings: Settings,
  { home, say }: { home: Pick<Home, 'run'>; say: (line: string) => void },
  usual: Ports = usualPorts,
): Promise<Ports> {
  const parts = partsOf(settings, usual);
  const isSet = ({ variable }: Part): boolean => settings[variable] !== undefined;
  await requireAll(parts.filter(isSet).map((part) => ({ ...part, port: settings[part.variable] ?? part.usual })));
  const file = portsFile(home);
  const last = readPorts(file);
  const chosen: Record<Variable, number> = { ...usual };
  for (const part of parts.filter(isSet)) chosen[part.variable] = settings[part.variable] ?? part.usual;
  const taken = new Set(parts.filter(isSet).map(({ variable }) => chosen[variable]));
  for (const part of parts) {
    if (isSet(part)) continue;
    const port = await choosePort(part, last[part.variable], taken);
    taken.add(port);
    chosen[part.variable] = port;
    if (port === part.usual) continue;
    const holder = portHolder(part.usual);
    say(`Port ${part.usual} is taken${holder === undefined ? '' : ` by ${holder}`}: ${part.part} uses ${port}.`);
  }
  writeFileSync(file, JSON.stringify(chosen));
  return chosen;
}

function partsOf({ HOST, DATABASE_URL, TEMPORAL_ADDRESS }: Settings, usual: Ports): Part[] {
  const parts: Part[] = [{ variable: 'PORT', host: HOST, part: 'the api', usual: usual.PORT }];
  const host = '127.0.0.1';
  if (DATABASE_URL === undefined)
    parts.push({ variable: 'POSTGRES_PORT', host, part: 'PostgreSQL', usual: usual.POSTGRES_PORT });
  if (TEMPORAL_ADDRESS === undefined)
    parts.push({ variable: 'TEMPORAL_PORT', host, part: 'Temporal', usual: usual.TEMPORAL_PORT });
  return parts;
}

async function requireAll(wanted: readonly WantedPort[]): Promise<void> {
  const results = await Promise.allSettled(wanted.map(requirePort));
  const messages = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason?.message)] : []));
  if (messages.length > 0) throw new StartFailure(messages.join('\n'));
}

async function choosePort(part: Part, last: number | undefined, taken: ReadonlySet<number>): Promise<number> {
  const next = Array.from({ length: TRIED }, (_, index) => part.usual + 1 + index);
  for (const port of [part.usual, ...(last === undefined ? [] : [last]), ...next])
    if (!taken.has(port) && (await isFree({ ...part, port })) && claim(port)) return port;
  // Says why: that the host is none of this machine, say.
  await requirePort({ ...part, port: part.usual });
  return part.usual;
}

/** Claims a port for as long as this process lives: it is long until the part listens that it is for. */
function claim(port: number): boolean {
  const lock = takeLock(join(tmpdir(), `everturn-${process.getuid?.() ?? ''}-port-${port}.lock`));
  if (lock.held) process.once('exit', lock.release);
  return lock.held || lock.by === process.pid;
}

/** Returns the ports of the last start from a data folder. */
export function lastPorts(home: Pick<Home, 'run'>): Ports {
  return { ...usualPorts, ...readPorts(portsFile(home)) };
}

function portsFile({ run }: Pick<Home, 'run'>): string {
  return join(run, 'ports.json');
}

function readPorts(file: string): Partial<Record<Variable, number>> {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const ports = Object.entries(value ?? {}).filter(([, port]) => Number.isInteger(port) && port > 0 && port < 65_536);
    return Object.fromEntries(ports);
  } catch {
    return {};
  }
}

/** A port that a part wants to listen on. */
type WantedPort = {
  readonly port: number;
  readonly host: string;
  /** Whose port it is, in words. */
  readonly part: string;
  /** The variable that chooses another. */
  readonly variable: string;
};

/**
 * Resolves when the port can be listened on; otherwise rejects with a StartFailure that names port, holder and
 * variable.
 */
export async function requirePort(wanted: WantedPort): Promise<void> {
  const code = await tryListening(wanted);
  if (code === undefined) return;
  throw new StartFailure(portMessage(wanted, code, code === 'EADDRINUSE' ? portHolder(wanted.port) : undefined));
}

/** Returns the sentence about a port that cannot be had. */
export function portMessage(wanted: WantedPort, code: string, holder?: string): string {
  const { port, host, part, variable } = wanted;
  if (code === 'EADDRINUSE') {
    return `Port ${port}, wanted for ${part}, is taken${holder === undefined ? '' : ` by ${holder}`}: set ${variable} to another port.`;
  }
  if (code === 'EACCES')
    return `Port ${port}, wanted for ${part}, may not be used by this user: set ${variable} to a port above 1023.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `${host} is no address of this machine: set HOST to another.`;
  return `Port ${port}, wanted for ${part}, cannot be listened on (${code}): set ${variable} to another port.`;
}

/**
 * Returns the process that listens on a port, in words such as `nginx (process 42)`, as far as this user may know it.
 */
function portHolder(port: number): string | undefined {
  const pid = process.platform === 'linux' ? linuxListener(port) : lsofListener(port);
  if (pid === undefined) return undefined;
  const words = commandLine(pid) ?? [];
  // `node api/main.ts` says more than `node`.
  const name = [words[0]?.split('/').at(-1), words.slice(1).find((word) => !word.startsWith('-'))]
    .filter(Boolean)
    .join(' ')
    .slice(0, 60);
  return name === '' ? `process ${pid}` : `${name} (process ${pid})`;
}

/** Whether a port can be listened on. */
async function isFree(wanted: Pick<WantedPort, 'port' | 'host'>): Promise<boolean> {
  return (await tryListening(wanted)) === undefined;
}

function tryListening({ port, host }: Pick<WantedPort, 'port' | 'host'>): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

function linuxListener(port: number): number | undefined {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0');
  const sockets = new Set<string>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of readLines(table)) {
      const fields = line.trim().split(/\s+/);
      // 0A is the state LISTEN.
      if (fields[1]?.endsWith(`:${hexPort}`) && fields[3] === '0A') sockets.add(`socket:[${fields[9]}]`);
    }
  }
  if (sockets.size === 0) return undefined;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const folder = `/proc/${pid}/fd`;
      if (readdirSync(folder).some((name) => sockets.has(linkTarget(`${folder}/${name}`)))) return Number(pid);
    } catch {
      // Another user's process, or one that has just ended.
    }
  }
  return undefined;
}

function lsofListener(port: number): number | undefined {
  const { stdout } = spawnSync('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-t'], { encoding: 'utf8' });
  const pid = Number.parseInt(stdout ?? '', 10);
  return Number.isNaN(pid) ? undefined : pid;
}

function linkTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    return [];
  }
}
