import { createHash } from 'node:crypto';
import { createWriteStream, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { runCommand } from '../core/run-command.ts';
import { withProgress } from '../core/terminal.ts';
import { temporalModule } from './temporal-versions.ts';

const connectLimitMs = 6000;
const stallLimitMs = 20_000;

/** Returns the archive of a release, as its page on GitHub names it; undefined when there is none for this platform. */
export function releaseArchive(
  version: string,
  platform: string = process.platform,
  arch: string = process.arch,
): string | undefined {
  const os = { linux: 'linux', darwin: 'darwin' }[platform];
  const cpu = { x64: 'amd64', arm64: 'arm64' }[arch];
  if (os === undefined || cpu === undefined) return undefined;
  return `https://github.com/temporalio/cli/releases/download/v${version}/temporal_cli_${version}_${os}_${cpu}.tar.gz`;
}

/**
 * Returns the expected SHA-256 of a release's archive, from `checksums.txt`, which the release's page publishes too.
 */
export function releaseChecksum(url: string): string | undefined {
  const lines = readFileSync(join(temporalModule, 'checksums.txt'), 'utf8').split('\n');
  return lines.find((line) => line.endsWith(`  ${basename(url)}`))?.slice(0, 64);
}

/**
 * Downloads the official release, checks that it is the archive that this repository knows, and unpacks the command
 * `temporal` into a folder. Resolves to undefined when that worked, else to the reason why it did not. Does not keep
 * anyone waiting where there is no way out to the network.
 */
export async function downloadTemporal(options: {
  url: string | undefined;
  sha256: string | undefined;
  folder: string;
  say: (line: string) => void;
  signal?: AbortSignal | undefined;
}): Promise<string | undefined> {
  const { url, sha256, folder, say, signal } = options;
  if (url === undefined) return `there is no release for ${process.platform}-${process.arch}`;
  if (sha256 === undefined) return 'its SHA-256 is not in scripts/temporal-cli/checksums.txt';
  const archive = join(folder, 'temporal.tar.gz');
  try {
    const found = await fetchToFile(url, archive, say, signal);
    if (found !== sha256) return `what came is not that release: its SHA-256 is ${found}, not ${sha256}`;
    const { code, output } = await runCommand('tar', ['-xzf', archive, '-C', folder, 'temporal'], { signal });
    return code === 0 ? undefined : `its archive cannot be unpacked: ${output.trim()}`;
  } catch (error) {
    return reasonOf(error);
  } finally {
    rmSync(archive, { force: true });
  }
}

/** Resolves to the SHA-256 of what came. */
async function fetchToFile(
  url: string,
  file: string,
  say: (line: string) => void,
  signal: AbortSignal | undefined,
): Promise<string> {
  const stop = new AbortController();
  const abort = (): void => stop.abort(new Error('called off'));
  signal?.addEventListener('abort', abort);
  let timer = setTimeout(() => stop.abort(new Error('no answer')), connectLimitMs);
  try {
    const response = await fetch(url, { signal: stop.signal });
    if (!response.ok || response.body === null) throw new Error(`HTTP ${response.status}`);
    const total = Number(response.headers.get('content-length') ?? 0);
    say(`Downloading the Temporal server (${megabytes(total)}) ...`);
    let received = 0;
    const hash = createHash('sha256');
    const watch = async function* (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of source) {
        clearTimeout(timer);
        timer = setTimeout(() => stop.abort(new Error('the download stalled')), stallLimitMs);
        received += chunk.length;
        hash.update(chunk);
        yield chunk;
      }
    };
    const { body } = response;
    await withProgress(
      say,
      (elapsed) => `  downloading, ${megabytes(received)} of ${megabytes(total)} after ${elapsed}`,
      () => pipeline(body, watch, createWriteStream(file), { signal: stop.signal }),
    );
    return hash.digest('hex');
  } catch (error) {
    throw stop.signal.aborted ? stop.signal.reason : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

/** `fetch failed` says nothing; its cause does. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error
    ? error.cause.message || String('code' in error.cause ? error.cause.code : error.message)
    : error.message;
}
