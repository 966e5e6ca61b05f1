import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import type { PushAddress } from '../../db/push-subscriptions.ts';

/** The values that are new for each message. */
interface Ephemeral {
  readonly salt: Buffer;
  readonly sender: ReturnType<typeof createECDH>;
}

const CURVE = 'prime256v1';
/** The size of the only record, of which services take no larger ones. */
const RECORD_BYTES = 4_096;
/** Marks the last record. */
const LAST = Buffer.of(2);

function newEphemeral(): Ephemeral {
  const sender = createECDH(CURVE);
  sender.generateKeys();
  return { salt: randomBytes(16), sender };
}

/**
 * Encrypts a text so that only one browser can read it: RFC 8291, in one record of the coding `aes128gcm` (RFC 8188).
 * `ephemeral` is new for each message; a test gives the one of the example in the RFC.
 */
export function encryptForBrowser(
  text: string,
  { p256dh, auth }: Pick<PushAddress, 'p256dh' | 'auth'>,
  { salt, sender }: Ephemeral = newEphemeral(),
): Buffer {
  const [receiverKey, senderKey] = [Buffer.from(p256dh, 'base64url'), sender.getPublicKey()];
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), receiverKey, senderKey]);
  const secret = derive(sender.computeSecret(receiverKey), { salt: Buffer.from(auth, 'base64url'), info }, 32);
  const key = derive(secret, { salt, info: 'Content-Encoding: aes128gcm\0' }, 16);
  const nonce = derive(secret, { salt, info: 'Content-Encoding: nonce\0' }, 12);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(RECORD_BYTES);
  const header = Buffer.concat([salt, size, Buffer.of(senderKey.length), senderKey]);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  return Buffer.concat([header, cipher.update(text, 'utf8'), cipher.update(LAST), cipher.final(), cipher.getAuthTag()]);
}

function derive(key: Buffer, { salt, info }: { salt: Buffer; info: string | Buffer }, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, info, bytes));
}
