import { webcrypto } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { LocalServer } from './local-server.ts';

const { subtle } = webcrypto;

/** A message as the service of a browser has got it. */
export interface PushedMessage {
  /** That of the browser. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The service of the maker of a browser, which gets the messages for it. */
export class PushService extends LocalServer {
  readonly messages: PushedMessage[] = [];
  /** Answers the next message; then they are taken again. */
  faults: ((response: ServerResponse) => void)[] = [];

  static async start(): Promise<PushService> {
    return new PushService().listen();
  }

  protected async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const fault = this.faults.shift();
    if (fault !== undefined) return fault(response);
    this.messages.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(parts) });
    response.writeHead(201).end();
  }
}

/** Makes an answer with a status, and headers. */
export const answer =
  (status: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, headers).end();

/** A browser that is subscribed: it alone decrypts its messages. */
export class SubscribedBrowser {
  readonly p256dh: string;
  readonly auth: string;
  readonly #keys: webcrypto.CryptoKeyPair;

  private constructor(keys: webcrypto.CryptoKeyPair, point: ArrayBuffer) {
    this.#keys = keys;
    this.p256dh = Buffer.from(point).toString('base64url');
    this.auth = Buffer.from(webcrypto.getRandomValues(new Uint8Array(16))).toString('base64url');
  }

  static async open(): Promise<SubscribedBrowser> {
    const keys = await subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, false, ['deriveBits']);
    return new SubscribedBrowser(keys, await subtle.exportKey('raw', keys.publicKey));
  }

  /** Decrypts a message as browsers do (RFC 8291, section 3.4), by the Web Crypto API; returns its JSON. */
  async read({ body }: PushedMessage): Promise<unknown> {
    const [salt, keyLength] = [body.subarray(0, 16), body.readUInt8(20)];
    const point = body.subarray(21, 21 + keyLength);
    const record = body.subarray(21 + keyLength);
    const sender = await subtle.importKey('raw', point, { name: 'ECDH', namedCurve: 'P-256' }, false, []);
    const shared = await subtle.deriveBits({ name: 'ECDH', public: sender }, this.#keys.privateKey, 256);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), Buffer.from(this.p256dh, 'base64url'), point]);
    const secret = await expand(shared, Buffer.from(this.auth, 'base64url'), info, 256);
    const bits = await expand(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 128);
    const iv = await expand(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 96);
    const key = await subtle.importKey('raw', bits, 'AES-GCM', false, ['decrypt']);
    const padded = Buffer.from(await subtle.decrypt({ name: 'AES-GCM', iv }, key, record));
    const end = padded.lastIndexOf(2);
    return JSON.parse(padded.subarray(0, end).toString());
  }
}

async function expand(secret: ArrayBuffer, salt: Buffer, info: Buffer, length: number): Promise<ArrayBuffer> {
  const key = await subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits']);
  return subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info }, key, length);
}
