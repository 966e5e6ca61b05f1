import { jsonSizeIssue, MAX_JSON_DEPTH } from '../../../domain/core/foreign-json.ts';
import { toReadable } from './readable-message.ts';
import { McpFailure } from '../mcp-failure.ts';

/** Bytes that may come for one request, after decompression. */
export const MAX_BODY_BYTES = 5 * 1024 * 1024;
/** Lines of a stream of events: each costs time beyond that of its bytes. */
const MAX_LINES = 20_000;

/** Watches a body. */
interface BodyWatch {
  /** The body ended, or broke off with an error. `hasIds`: its events can be asked for again. */
  onEnd(end: { readonly hasIds: boolean }): void;
  /** The body is refused. */
  onRefused(failure: McpFailure): void;
  /** So many bytes have come so far. */
  onBytes?(bytes: number): void;
}

/** Passes on a body of events line by line, and nothing more once it is too large, in whatever way. */
export function boundedEvents(body: ReadableStream<Uint8Array>, watch: BodyWatch): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const lines = new LineBounds();
  const refuse = (controller: ReadableStreamDefaultController, issue: string) => {
    const failure = tooLarge(issue);
    watch.onRefused(failure);
    controller.error(failure);
    void reader.cancel().catch(() => undefined);
  };
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const chunk = await reader.read().catch((error: unknown) => ({ error }));
      if ('error' in chunk) {
        watch.onEnd(lines);
        controller.error(chunk.error);
        return;
      }
      if (chunk.done) {
        watch.onEnd(lines);
        controller.close();
        return;
      }
      const taken = lines.take(chunk.value);
      watch.onBytes?.(lines.bytes);
      if ('issue' in taken) refuse(controller, taken.issue);
      // An empty chunk, so that this is called again while a line is not complete.
      else controller.enqueue(Buffer.from(taken.text));
    },
    cancel: async (reason) => reader.cancel(reason),
  });
}

/** Reads a whole JSON body; throws when it is too large, in whatever way. */
export async function boundedJson(body: ReadableStream<Uint8Array>): Promise<string> {
  const text = (await boundedBytes(body, MAX_BODY_BYTES)).toString();
  const issue = jsonSizeIssue(text, MAX_JSON_DEPTH);
  if (issue !== undefined) throw tooLarge(issue);
  return toReadable(text);
}

/** Reads a whole body; throws when it is longer than `maxBytes`. */
export async function boundedBytes(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    // Leaving the loop cancels the body, and with it the connection.
    if (length > maxBytes) throw tooLarge(`it has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(issue: string): McpFailure {
  return new McpFailure('upstream', `The server's answer is too large: ${issue}`, { mayHaveRun: true });
}

const DATA_LINE = /^(data: ?)(.*)$/gm;

function toReadableLine(_line: string, field: string, json: string): string {
  return field + toReadable(json);
}

/** Counts the bytes of a stream of events, and buffers a line until it is complete. */
class LineBounds {
  readonly #decoder = new TextDecoder();
  bytes = 0;
  #lines = 0;
  #open: string[] = [];
  hasIds = false;

  take(chunk: Uint8Array): { readonly text: string } | { readonly issue: string } {
    this.bytes += chunk.length;
    if (this.bytes > MAX_BODY_BYTES) return { issue: `it has more than ${MAX_BODY_BYTES} bytes` };
    const text = this.#decoder.decode(chunk, { stream: true });
    const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;
    if (end === 0) {
      this.#open.push(text);
      return { text: '' };
    }
    const complete = [...this.#open, text.slice(0, end)].join('');
    this.#open = [text.slice(end)];
    const issue = this.#issueIn(complete);
    return issue === undefined ? { text: complete.replaceAll(DATA_LINE, toReadableLine) } : { issue };
  }

  #issueIn(complete: string): string | undefined {
    for (const line of complete.split(/[\r\n]/)) {
      this.#lines += 1;
      if (this.#lines > MAX_LINES) return `it has more than ${MAX_LINES} lines`;
      if (/^id: ?./.test(line)) this.hasIds = true;
      const issue = jsonSizeIssue(line, MAX_JSON_DEPTH);
      if (issue !== undefined) return issue;
    }
    return undefined;
  }
}
