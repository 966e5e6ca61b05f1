import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';

import { StartFailure } from '../core/start-failure.ts';
import { commandLine } from '../processes/command-lines.ts';

/** A port that a part wants to listen on. */
export type WantedPort = {
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
export function portHolder(port: number): string | undefined {
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
export async function isFree(wanted: Pick<WantedPort, 'port' | 'host'>): Promise<boolean> {
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
