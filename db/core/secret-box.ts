import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_BYTES = 4;

/** A stored secret cannot be decrypted: with the keys of `SECRET_KEY` it never will be. */
export class UnreadableSecret extends Error {
  override readonly name = 'UnreadableSecret';
}

/** Returns the id of a key of `SECRET_KEY`, in hexadecimal. It reveals nothing of the key. */
export function keyIdOf(secretKey: string): string {
  return derive(secretKey, 'key id', KEY_ID_BYTES).toString('hex');
}

/**
 * Encrypts secrets for a column with AES-256-GCM. The associated data binds a ciphertext to its row: copied into
 * another row or organization it does not decrypt. Layout: key id (4) | nonce (12) | tag (16) | ciphertext.
 */
export class SecretBox {
  readonly #keys: ReadonlyMap<string, Buffer>;
  readonly #currentId: Buffer;
  readonly #currentKey: Buffer;
  readonly #digestKeys: readonly Buffer[];

  /** @param secretKeys the keys of `SECRET_KEY`: the first encrypts, all of them decrypt. */
  constructor(secretKeys: readonly [string, ...string[]]) {
    const derived = secretKeys.map((secret) => ({
      id: keyIdOf(secret),
      key: derive(secret, 'key', 32),
    }));
    const [current] = derived;
    if (current === undefined) throw new Error('at least one secret key is needed');
    this.#keys = new Map(derived.map(({ id, key }) => [id, key]));
    this.#currentId = Buffer.from(current.id, 'hex');
    this.#currentKey = current.key;
    this.#digestKeys = secretKeys.map((secret) => derive(secret, 'digests', 32));
  }

  seal(plain: string, associated: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#currentKey, nonce).setAAD(Buffer.from(associated));
    const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return Buffer.concat([this.#currentId, nonce, cipher.getAuthTag(), sealed]);
  }

  /** Returns unforgeable digests of a text, in hexadecimal: one for each key, that of the first key first. */
  digestsOf(text: string): string[] {
    return this.#digestKeys.map((key) => createHmac('sha256', key).update(text).digest('hex'));
  }

  /** The ids of its keys, in hexadecimal: the first bytes of the secrets that it can decrypt. */
  get keyIds(): string[] {
    return [...this.#keys.keys()];
  }

  /** Returns whether it has the key that a secret was encrypted with. */
  holdsKeyOf(sealed: Buffer): boolean {
    return this.#keyOf(sealed) !== undefined;
  }

  /** Decrypts a secret. Throws `UnreadableSecret` when no key fits or the ciphertext belongs to another row. */
  open(sealed: Buffer, associated: string): string {
    const key = this.#keyOf(sealed);
    if (key === undefined) throw new UnreadableSecret('the secret was encrypted with a key that is not in SECRET_KEY');
    try {
      return decrypt(key, sealed, associated);
    } catch (error) {
      throw new UnreadableSecret('the secret is damaged, or belongs to another row', { cause: error });
    }
  }

  /** Returns a token with a JSON value for one purpose. Nobody without the keys can make, read or change one. */
  sealToken(value: unknown, purpose: string): string {
    return this.seal(JSON.stringify(value), purpose).toString('base64url');
  }

  /** Returns the value of a token; undefined for one that was not made for that purpose by one of the keys. */
  openToken(token: string, purpose: string): unknown {
    try {
      return JSON.parse(this.open(Buffer.from(token, 'base64url'), purpose));
    } catch (error) {
      if (error instanceof UnreadableSecret) return undefined;
      throw error;
    }
  }

  #keyOf(sealed: Buffer): Buffer | undefined {
    return this.#keys.get(sealed.subarray(0, KEY_ID_BYTES).toString('hex'));
  }
}

const KEY_LOST =
  'the server does not have the key that its credentials were encrypted with: enter them again, or have the operator bring that key back';

/**
 * Returns why the credentials of a record cannot be decrypted, in words for people; null when nothing is known against
 * it. It is not stored: the record works again as soon as the key is back.
 */
export function whyUnreadable(box: SecretBox, sealed: Buffer | null): string | null {
  return sealed === null || box.holdsKeyOf(sealed) ? null : KEY_LOST;
}

/** The row that a secret belongs to. */
export interface SealedRow {
  readonly orgId: string;
  readonly id: string;
}

/** The ciphertext of one row. */
interface StoredCiphertext {
  readonly read: () => Promise<Buffer | null>;
  readonly write: (former: Buffer) => Promise<boolean>;
}

/** Encrypts the secrets of a column, each for its row. */
export class SecretColumn {
  readonly #table: string;
  readonly #column: string;

  /** @param column set where the table has several of them; its value never changes. */
  constructor(table: string, column = '') {
    this.#table = table;
    this.#column = column === '' ? '' : `/${column}`;
  }

  seal(box: SecretBox, row: SealedRow, secret: string): Buffer {
    return box.seal(secret, this.#context(row));
  }

  open(box: SecretBox, row: SealedRow, sealed: Buffer): string {
    return box.open(sealed, this.#context(row));
  }

  /**
   * Returns whether two ciphertexts contain the same secret: re-encryption changes the bytes and nothing else. One that
   * cannot be decrypted counts as another.
   */
  isSame(box: SecretBox, row: SealedRow, one: Buffer, other: Buffer): boolean {
    if (one.equals(other)) return true;
    try {
      return this.open(box, row, one) === this.open(box, row, other);
    } catch (error) {
      if (error instanceof UnreadableSecret) return false;
      throw error;
    }
  }

  /**
   * Replaces a secret by `write`, unless another one was stored meanwhile; returns whether it did. `former` may be
   * re-encrypted between reading and replacing it, and is replaced all the same.
   *
   * @param stored.write replaces the given ciphertext; returns false when that is not the stored one.
   */
  async replace(box: SecretBox, row: SealedRow, former: Buffer, { read, write }: StoredCiphertext): Promise<boolean> {
    if (await write(former)) return true;
    const stored = await read();
    return stored !== null && this.isSame(box, row, former, stored) && write(stored);
  }

  #context({ orgId, id }: SealedRow): string {
    return `${this.#table}/${orgId}/${id}${this.#column}`;
  }
}

function decrypt(key: Buffer, sealed: Buffer, associated: string): string {
  const tagStart = KEY_ID_BYTES + NONCE_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(KEY_ID_BYTES, tagStart))
    .setAAD(Buffer.from(associated))
    .setAuthTag(sealed.subarray(tagStart, tagStart + TAG_BYTES));
  const body = sealed.subarray(tagStart + TAG_BYTES);
  return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
}

function derive(secret: string, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'everturn', `column encryption: ${purpose}`, bytes));
}
