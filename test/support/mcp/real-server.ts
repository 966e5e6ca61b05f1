import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../free-port.ts';
import { waitUntil } from '../wait-until.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PRELOAD = fileURLToPath(new URL('./only-loopback.mjs', import.meta.url));
const EVERYTHING = join(ROOT, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const MEMORY = join(ROOT, 'node_modules/@modelcontextprotocol/server-memory/dist/index.js');
const PROXY = join(ROOT, 'node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs');

/** The key that the memory server asks for, in the header `X-API-Key`. */
export const MEMORY_KEY = 'a-key-that-only-the-tests-know';

/** An MCP server that none of us wrote, as a process of its own on 127.0.0.1. */
export class RealServer {
  readonly port: number;
  readonly #path: string;
  readonly #start: () => ChildProcess;
  readonly #home: string;
  #child: ChildProcess;

  private constructor(port: number, path: string, home: string, start: () => ChildProcess) {
    this.port = port;
    this.#path = path;
    this.#home = home;
    this.#start = start;
    this.#child = start();
  }

  /** The reference server with a tool of every kind; it speaks the protocol of 2025. */
  static async everything(transport: 'streamableHttp' | 'sse' = 'streamableHttp'): Promise<RealServer> {
    const path = transport === 'sse' ? '/sse' : '/mcp';
    return RealServer.#serve(path, (port) => [['--import', PRELOAD, EVERYTHING, transport], { PORT: String(port) }]);
  }

  /** The reference server that keeps a graph of facts, behind a proxy that speaks the protocols of 2025 and 2026. */
  static async memory(): Promise<RealServer> {
    return RealServer.#serve('/mcp', (port, home) => [
      [PROXY, '--host', '127.0.0.1', '--port', String(port), '--apiKey', MEMORY_KEY, '--', process.execPath, MEMORY],
      { MEMORY_FILE_PATH: join(home, 'memory.jsonl') },
    ]);
  }

  static async #serve(
    path: string,
    commandFor: (port: number, home: string) => [args: string[], env: Record<string, string>],
  ): Promise<RealServer> {
    const port = await freePort();
    const home = mkdtempSync(join(tmpdir(), 'everturn-mcp-'));
    const [args, env] = commandFor(port, home);
    const start = () =>
      spawn(process.execPath, args, { cwd: home, env: { PATH: process.env['PATH'], ...env }, stdio: 'ignore' });
    const server = new RealServer(port, path, home, start);
    await server.#listens();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}${this.#path}`;
  }

  /** Ends it as a crash does. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  /** Starts it again; it knows nothing of its former sessions. */
  async startAgain(): Promise<void> {
    await this.kill();
    this.#child = this.#start();
    await this.#listens();
  }

  async close(): Promise<void> {
    await this.kill();
    rmSync(this.#home, { recursive: true, force: true });
  }

  async #listens(): Promise<void> {
    await waitUntil(`the server at ${this.url}`, async () => ((await isOpen(this.port)) ? true : undefined));
  }
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const outcome = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return outcome;
}
