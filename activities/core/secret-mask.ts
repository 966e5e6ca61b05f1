const MASK = '***';

/** What formats write characters as: escapes of JSON, of addresses and of HTML. */
const ESCAPES =
  /\\u(?<unit>[0-9a-f]{4})|\\(?<plain>["\\/])|%(?<byte>[0-7][0-9a-f])|&#(?<code>\d{1,6});|&#x(?<hex>[0-9a-f]{1,5});|&(?<name>amp|lt|gt|quot|apos);/gi;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Encoded parts shorter than this are found in texts that have nothing to do with a secret. */
const MIN_ENCODED = 8;
/** The most characters that an escape takes. */
const MAX_ESCAPE = 10;

/** A secret shorter than this is masked as a whole only. */
const MIN_IN_PARTS = 12;
/** Beginnings and ends of a secret shorter than this are found in texts that have nothing to do with it. */
const MIN_PART = 8;
/** The longest name of a scheme, such as `postgres`, that a secret which is an address begins with. */
const MAX_SCHEME = 10;

/** A stretch of a text, up to the character before `end`. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Removes secrets from the texts of a server that they were sent to, which may repeat them: as they are, in the escapes
 * of JSON, addresses and HTML, and in Base64. Of long ones beginnings and ends are removed too. A server that writes
 * them in another way, or only a part from the middle, is not seen through.
 */
export class SecretMask {
  readonly #forms: readonly string[];
  readonly #inParts: readonly string[];

  constructor(secrets: readonly string[]) {
    const forms = secrets.filter((secret) => secret !== '').flatMap(formsOf);
    this.#forms = [...new Set(forms)].toSorted((one, other) => other.length - one.length);
    const long = secrets.map(withoutScheme).filter((secret) => secret.length >= MIN_IN_PARTS);
    this.#inParts = [...new Set(long.flatMap(formsOf))];
  }

  /** Returns the text with each secret masked. One that holds a secret in escapes is shown without any escapes. */
  mask(text: string): string {
    if (this.#forms.length === 0) return text;
    const whole = this.#replaced(text);
    const plain = whole.replaceAll(ESCAPES, unescaped);
    // Parts are looked for last: what stands before an escape would be taken for all there is of a secret.
    const found = this.#withoutParts(this.#replaced(plain));
    return found === plain ? this.#withoutParts(whole) : found;
  }

  /**
   * Returns the beginning of a text that goes on, with each secret masked: as much of it as cannot end within a secret,
   * of which a part would be shown.
   */
  maskBeginning(text: string): string {
    const [longest = ''] = this.#forms;
    return this.mask(text).slice(0, -MAX_ESCAPE * longest.length || undefined);
  }

  #replaced(text: string): string {
    return this.#forms.reduce((rest, form) => rest.replaceAll(form, MASK), text);
  }

  #withoutParts(text: string): string {
    return masked(
      text,
      this.#inParts.flatMap((form) => [...beginningsOf(form, text), ...endsOf(form, text)]),
    );
  }
}

// What the address of any server begins with is no part of a secret.
function withoutScheme(secret: string): string {
  const end = secret.indexOf('://');
  return end > 0 && end <= MAX_SCHEME ? secret.slice(end + 3) : secret;
}

/** Returns where a text has a beginning of a secret, each as long as it goes on. */
function beginningsOf(form: string, text: string): Span[] {
  const first = form.slice(0, MIN_PART);
  const spans: Span[] = [];
  for (let start = text.indexOf(first); start !== -1;) {
    let length = MIN_PART;
    while (length < form.length && text[start + length] === form[length]) length++;
    spans.push({ start, end: start + length });
    // Another one may begin within the last characters of this one. To look at all of them would cost their square.
    start = text.indexOf(first, start + Math.max(1, length - MIN_PART + 1));
  }
  return spans;
}

/** Returns where a text has an end of a secret, each from as far back as it reaches behind the one before it. */
function endsOf(form: string, text: string): Span[] {
  const last = form.slice(-MIN_PART);
  const spans: Span[] = [];
  let done = 0;
  for (let at = text.indexOf(last); at !== -1; at = text.indexOf(last, at + 1)) {
    let more = 0;
    const room = Math.min(form.length - MIN_PART, at - done);
    while (more < room && text[at - more - 1] === form[form.length - MIN_PART - more - 1]) more++;
    done = at + MIN_PART;
    spans.push({ start: at - more, end: done });
  }
  return spans;
}

/** Returns a text with the mask in the place of each stretch, and of those that touch each other. */
function masked(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  const pieces: string[] = [];
  let done = 0;
  for (const { start, end } of spans.toSorted((one, other) => one.start - other.start)) {
    if (start > done || pieces.length === 0) pieces.push(text.slice(done, start), MASK);
    done = Math.max(done, end);
  }
  return [...pieces, text.slice(done)].join('');
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

/**
 * Returns the characters that stand for a secret in the Base64 of any text that has it after so many bytes, modulo
 * three.
 */
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
