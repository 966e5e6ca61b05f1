import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chunk, type CompletionHead, doneData } from '../support/scripted-model/wire.ts';

const HEAD: CompletionHead = { id: 'chatcmpl-patient', created: 1_700_000_000, model: 'patient-1' };
const REPLY = [chunk(HEAD, { role: 'assistant', content: 'Noted.' }, null), chunk(HEAD, {}, 'stop'), doneData]
  .map((data) => `data: ${data}\n\n`)
  .join('');

/** A provider that reads long requests without looking into them, and answers when it is told to. */
export class PatientModel {
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #open = new Set<ServerResponse>();
  #isBlocking = false;

  static async start(): Promise<PatientModel> {
    const model = new PatientModel();
    model.#server.listen(0, '127.0.0.1');
    await once(model.#server, 'listening');
    return model;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The `base_url` of a provider account. */
  get url(): string {
    return `http://127.0.0.1:${this.port}/v1`;
  }

  /** The number of requests that were read whole and wait for their answer. */
  get open(): number {
    return this.#open.size;
  }

  /** Answers no request from now on, until `letGo`. */
  block(): void {
    this.#isBlocking = true;
  }

  /** Answers all requests. */
  letGo(): void {
    this.#isBlocking = false;
    for (const response of this.#open) response.end(REPLY);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.once('close', () => this.#open.delete(response));
    request.resume();
    await once(request, 'end').catch(() => response.destroy());
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (!this.#isBlocking) return void response.end(REPLY);
    this.#open.add(response);
  }
}
