const MASK = '***';

/** What formats write characters as: escapes of JSON, of addresses and of HTML. */
const ESCAPES =
  /\\u(?<unit>[0-9a-f]{4})|\\(?<plain>["\\/])|%(?<byte>[0-7][0-9a-f])|&#(?<code>\d{1,6});|&#x(?<hex>[0-9a-f]{1,5});|&(?<name>amp|lt|gt|quot|apos);/gi;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Encoded parts shorter than this are found in texts that have nothing to do with a secret. */
const MIN_ENCODED = 8;
/** The most characters that an escape takes. */
const MAX_ESCAPE = 10;

/**
 * Removes secrets from the texts of a server that they were sent to, which may repeat them: as they are, in the escapes of
 * JSON, addresses and HTML, and in Base64. A server that writes them in another way is not seen through.
 */
export class SecretMask {
  readonly #forms: readonly string[];

  constructor(secrets: readonly string[]) {
    const forms = secrets.filter((secret) => secret !== '').flatMap(formsOf);
    this.#forms = [...new Set(forms)].toSorted((one, other) => other.length - one.length);
  }

  /** Returns the text with each secret masked. One that holds a secret in escapes is shown without any escapes. */
  mask(text: string): string {
    if (this.#forms.length === 0) return text;
    const masked = this.#replaced(text);
    const plain = masked.replaceAll(ESCAPES, unescaped);
    const found = this.#replaced(plain);
    return found === plain ? masked : found;
  }

  /**
   * Returns the beginning of a text that goes on, with each secret masked: as much of it as cannot end within a secret, of
   * which a part would be shown.
   */
  maskBeginning(text: string): string {
    const [longest = ''] = this.#forms;
    return this.mask(text).slice(0, -MAX_ESCAPE * longest.length || undefined);
  }

  #replaced(text: string): string {
    return this.#forms.reduce((rest, form) => rest.replaceAll(form, MASK), text);
  }
}

function formsOf(secret: string): string[] {
  const encoded = encodeURIComponent(secret);
  const lower = encoded.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const inBase64 = [0, 1, 2].flatMap((offset) => {
    const part = base64Part(secret, offset);
    return part.length < MIN_ENCODED ? [] : [part, part.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [secret, encoded, lower, encoded.replaceAll('%20', '+'), ...inBase64];
}

/** Returns the characters that stand for a secret in the Base64 of any text that has it after so many bytes, modulo three. */
function base64Part(secret: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const text = bytes.toString('base64').replaceAll('=', '');
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6));
}

function unescaped(...match: readonly unknown[]): string {
  const { unit, plain, byte, code, hex, name } = match.at(-1) as Readonly<Record<string, string | undefined>>;
  if (plain !== undefined) return plain;
  if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? '';
  const digits = unit ?? byte ?? hex;
  return String.fromCodePoint(digits === undefined ? Number(code) : Number.parseInt(digits, 16));
}
