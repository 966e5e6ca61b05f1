import type { IncomingMessage, ServerResponse } from 'node:http';
import { waitUntil } from './wait-until.ts';
import { LocalServer } from './local-server.ts';

/** A request for pictures or a transcript, as it was sent. */
interface SeenMediaRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The files of a form by their fields. */
  readonly files: Readonly<Record<string, { readonly name: string; readonly bytes: Buffer }>>;
}

/** How the server behaves instead of answering as it should. */
interface MediaBehaviour {
  /** How pictures are given; as Base64 by default. */
  readonly pictures?: 'base64' | 'link';
  /** What is given in place of its picture. */
  readonly bytes?: Buffer;
  readonly status?: number;
  /** The seconds that it asks to be left alone. */
  readonly retryAfter?: number;
  /** Answers only after `release`. */
  readonly blocks?: boolean;
}

/**
 * A server that speaks OpenAI's images and transcriptions (API reference, "Create image", "Create image edit", "Create
 * transcription"). It gives one picture, and says of a sound how many bytes it has.
 */
export class MediaServer extends LocalServer {
  readonly seen: SeenMediaRequest[] = [];
  behaviour: MediaBehaviour = {};
  readonly #picture: Buffer;
  readonly #blocked: (() => void)[] = [];

  private constructor(picture: Buffer) {
    super();
    this.#picture = picture;
  }

  static async start(picture: Buffer): Promise<MediaServer> {
    return new MediaServer(picture).listen();
  }

  /** The `base_url` of an account. */
  override get url(): string {
    return `http://127.0.0.1:${this.port}/v1`;
  }

  /** Waits until it was asked so many times. */
  async waitFor(times: number): Promise<void> {
    await waitUntil(`${times} requests for media`, () => this.seen.length >= times || undefined);
  }

  /** Lets everything go that is held. */
  release(): void {
    for (const answer of this.#blocked.splice(0)) answer();
  }

  protected async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '' } = request;
    if (url.startsWith('/pictures/'))
      return void response.writeHead(200, { 'content-type': 'image/png' }).end(this.#bytes);
    const seen = await readRequest(request);
    this.seen.push(seen);
    const { status = 200, retryAfter, blocks = false } = this.behaviour;
    if (blocks) await new Promise<void>((resolve) => void this.#blocked.push(resolve));
    const answer = status === 200 ? this.#answerTo(seen) : { error: { message: 'not now', type: 'server_error' } };
    if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter));
    response.writeHead(answer === undefined ? 404 : status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { error: { message: `no route ${url}`, type: 'invalid_request_error' } }));
  }

  get #bytes(): Buffer {
    return this.behaviour.bytes ?? this.#picture;
  }

  #answerTo({ path, fields, files }: SeenMediaRequest): unknown {
    if (path === '/v1/images/generations' || (path === '/v1/images/edits' && files['image'] !== undefined))
      return this.#pictures(Number(fields['n'] ?? 1));
    if (path === '/v1/audio/transcriptions') return transcriptOf(fields, files['file']?.bytes);
    return undefined;
  }

  #pictures(n: number) {
    const asLink = this.behaviour.pictures === 'link';
    const data = Array.from({ length: n }, (_, at) =>
      asLink
        ? { url: `http://127.0.0.1:${this.port}/pictures/${at}.png` }
        : { b64_json: this.#bytes.toString('base64') },
    );
    const usage = {
      input_tokens: 100,
      output_tokens: 1_000,
      total_tokens: 1_100,
      input_tokens_details: { text_tokens: 100 },
    };
    return { created: 1_795_000_000, data, usage };
  }
}

function transcriptOf(fields: SeenMediaRequest['fields'], sound: Buffer | undefined): unknown {
  if (sound === undefined) return undefined;
  const text = `I heard ${sound.length} bytes.`;
  if (fields['response_format'] !== 'verbose_json') return { text, usage: { type: 'duration', seconds: 90 } };
  const segments = [{ id: 0, seek: 0, start: 0, end: 1.5, text: ` ${text}`, tokens: [], temperature: 0 }];
  return { task: 'transcribe', language: 'english', duration: 90, text, segments };
}

async function readRequest(request: IncomingMessage): Promise<SeenMediaRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const { authorization, 'content-type': type = '' } = request.headers;
  const head = { path: request.url ?? '', authorization };
  if (type.startsWith('application/json'))
    return { ...head, fields: JSON.parse(body.toString()) as Record<string, unknown>, files: {} };
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  const fields: Record<string, unknown> = {};
  const files: Record<string, SeenMediaRequest['files'][string]> = {};
  for (const [name, value] of form) {
    if (typeof value === 'string') fields[name] = value;
    else files[name] = { name: value.name, bytes: Buffer.from(await value.arrayBuffer()) };
  }
  return { ...head, fields, files };
}
