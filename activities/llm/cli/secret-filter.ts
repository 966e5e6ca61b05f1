import { asObject, parseJson } from '../transport/json.ts';
import type { HomeFiles } from '../../sandbox/index.ts';

const MASK = '***';
const NAME_OF_SECRET = /token|secret|key/i;
const MIN_CHARACTERS = 16;

/** Returns the secrets in the files of a sign-in: the longer texts of fields that are named so, the longest first. */
export function secretsIn(files: HomeFiles): string[] {
  const found = Object.values(files).flatMap((content) =>
    secretsOf(parseJson(Buffer.from(content, 'base64').toString())),
  );
  return [...new Set(found)].toSorted((one, other) => other.length - one.length);
}

function secretsOf(value: unknown): string[] {
  return Object.entries(asObject(value)).flatMap(([name, field]) => {
    if (typeof field !== 'string') return secretsOf(field);
    return NAME_OF_SECRET.test(name) && field.length >= MIN_CHARACTERS ? [field] : [];
  });
}

/** Masks secrets in a text that arrives in pieces. Only an end that may be the beginning of one is held back. */
export class SecretFilter {
  readonly #secrets: readonly string[];
  #held = '';

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  /** Takes the next piece; returns what can be shown. */
  push(piece: string): string {
    const text = this.#secrets.reduce((rest, secret) => rest.replaceAll(secret, MASK), this.#held + piece);
    const begun = Math.max(0, ...this.#secrets.map((secret) => begunAtEnd(text, secret)));
    this.#held = text.slice(text.length - begun);
    return text.slice(0, text.length - begun);
  }

  /** Returns what was held back. */
  end(): string {
    return this.#held;
  }
}

/** Returns how many characters at the end of a text are the beginning of a secret. */
function begunAtEnd(text: string, secret: string): number {
  const first = secret.slice(0, 1);
  const earliest = Math.max(0, text.length - secret.length + 1);
  for (let at = text.indexOf(first, earliest); at !== -1; at = text.indexOf(first, at + 1))
    if (secret.startsWith(text.slice(at))) return text.length - at;
  return 0;
}
