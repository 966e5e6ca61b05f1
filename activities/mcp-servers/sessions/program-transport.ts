import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { jsonSizeIssue, MAX_JSON_DEPTH } from '../../../domain/core/foreign-json.ts';
import { cut, toStorableText } from '../../../domain/core/text.ts';
import type { SecretMask } from '../../core/secret-mask.ts';
import type { SandboxProcess } from '../../sandbox/sandbox-process.ts';
import { McpFailure } from '../mcp-failure.ts';
import { toReadable } from './readable-message.ts';

/** How much a program may write after a request of ours, in bytes and lines. */
const MAX_BYTES = 5 * 1024 * 1024;
const MAX_LINES = 20_000;

/** How long a program may take to end when asked to, in milliseconds. */
const END_MS = 2_000;
const MAX_QUOTED = 500;

interface TransportOptions {
  readonly process: SandboxProcess;
  /** Masks the program's secret in its error output. */
  readonly mask: SecretMask;
  /** Called when it has ended, or is ended because of what it writes. */
  readonly onBroken: (failure: McpFailure) => void;
}

/**
 * Speaks with a program over its standard input and output, a message a line. The SDK's own starts programs itself, and
 * bounds neither how much they write nor how deep their messages nest.
 */
export class ProgramTransport implements Transport {
  readonly #process: SandboxProcess;
  readonly #mask: SecretMask;
  readonly #onBroken: (failure: McpFailure) => void;
  readonly #decoder = new TextDecoder();
  /** The parts of a line whose end has not come. */
  #open: string[] = [];
  #bytes = 0;
  #lines = 0;
  #isClosed = false;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  constructor({ process, mask, onBroken }: TransportOptions) {
    this.#process = process;
    this.#mask = mask;
    this.#onBroken = onBroken;
  }

  async start(): Promise<void> {
    this.#process.output.on('data', (chunk: Buffer) => this.#take(chunk));
    void this.#process.ended.then(() => this.#end(this.#ended()));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    // Each request may be answered at length; what nobody asked for adds up.
    if ('method' in message && 'id' in message) [this.#bytes, this.#lines] = [0, 0];
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#process.input.write(serializeMessage(message), () => resolve());
    // One that reads nothing does not block its caller, who waits for an answer.
    await Promise.race([promise, this.#process.ended]);
  }

  async close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#process.expectEnd();
      this.#process.input.end();
      const timer = setTimeout(() => this.#process.kill(), END_MS);
      void this.#process.ended.then(() => clearTimeout(timer));
      this.onclose?.();
    }
    await this.#process.ended;
  }

  #take(chunk: Buffer): void {
    if (this.#isClosed) return;
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_BYTES) return this.#refuse(`it has more than ${MAX_BYTES} bytes`);
    const [first = '', ...others] = this.#decoder.decode(chunk, { stream: true }).split('\n');
    this.#open.push(first);
    for (const next of others) {
      const line = this.#open.join('');
      this.#open = [next];
      this.#lines += 1;
      if (this.#lines > MAX_LINES) return this.#refuse(`it has more than ${MAX_LINES} lines`);
      const issue = this.#read(line);
      if (issue !== undefined) return this.#refuse(issue);
    }
  }

  /** Returns why the line cannot be taken. */
  #read(line: string): string | undefined {
    // Some programs write other things than messages.
    if (!line.startsWith('{')) return undefined;
    const issue = jsonSizeIssue(line, MAX_JSON_DEPTH);
    if (issue !== undefined) return issue;
    try {
      this.onmessage?.(deserializeMessage(toReadable(line)));
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
    return undefined;
  }

  #refuse(issue: string): void {
    this.#open = [];
    this.#process.kill();
    this.#end(new McpFailure('upstream', `The server's answer is too large: ${issue}`, { mayHaveRun: true }));
  }

  #end(failure: McpFailure): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onBroken(failure);
    this.onclose?.();
  }

  #ended(): McpFailure {
    const { exceeded } = this.#process;
    if (exceeded !== undefined) {
      const message = `The program of the server was ended: it exceeded its ${exceeded} limit`;
      return new McpFailure('upstream', message, { mayHaveRun: true });
    }
    const said = cut(toStorableText(this.#mask.mask(this.#process.lastWords)).slice(-MAX_QUOTED), MAX_QUOTED);
    const words = said === '' ? '' : `; its last words: ${said}`;
    return new McpFailure('upstream', `The program of the server has ended${words}`, {
      mayHaveRun: true,
      isForeign: said !== '',
    });
  }
}
