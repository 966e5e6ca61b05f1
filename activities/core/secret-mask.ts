import { parse as parseYaml } from 'yaml';
import type { IntegrationKind, Secrets } from '../../domain/integrations/integration-kind.ts';
import { maskedValues } from '../../domain/integrations/masked-values.ts';
import { readKubeconfig } from '../../domain/integrations/kubeconfig.ts';

const MASK = '***';

/** The escapes of characters in formats: in JSON and programs, in addresses and in HTML. */
const ESCAPES =
  /\\(?:u[0-9a-f]{4}|x[0-9a-f]{2}|["\\/])|%[0-7][0-9a-f]|&(?:#\d{1,6}|#x[0-9a-f]{1,5}|amp|lt|gt|quot|apos);/gi;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** How many levels of escapes are decoded: one format may be nested in another, such as JSON in a text of JSON. */
const MAX_ESCAPED = 2;

/** Where formats break and indent long lines, also within JSON, in quoted-printable and in a shell. */
const LINE_BREAKS = /[=\\]?\r?\n[ \t]*|\\[rn]/g;

/** Encoded parts shorter than this are found in texts that have nothing to do with a secret. */
const MIN_ENCODED = 8;

/** The hexadecimal digits of a secret with fewer bytes are found in numbers that have nothing to do with it. */
const MIN_IN_HEX = 6;

/** The most characters that an escape takes. */
const MAX_ESCAPE = 10;

/** A secret shorter than this is masked as a whole only. */
const MIN_IN_PARTS = 12;

/** Beginnings and ends of a secret shorter than this are found in texts that have nothing to do with it. */
const MIN_PART = 8;

/** The longest name of a scheme, such as `postgres`, that a secret which is an address begins with. */
const MAX_SCHEME = 10;

/** The bytes that quoted-printable writes as codes: all but those of printable ASCII, and its own sign. */
const QUOTED = /=(?:[01].|3D|7F|[89A-F].)/;

/**
 * The public prefixes of all tokens of GitHub, Anthropic, OpenAI, Linear, Stripe, HubSpot or Atlassian, which documents
 * about them mention.
 */
const PUBLIC_PREFIX =
  /^(?:github_pat_|sk-ant-[a-z]{3}\d\d-|sk-proj-|lin_api_|[rs]k_(?:live|test)_|pat-[a-z]{2}\d-|ATATT3xFfGF0)/;

/**
 * The most parts of secrets that are searched for in one text. The rest of the text is masked as a whole: no answer has
 * as many, unless the author of the secret wants to keep the process busy.
 */
const MAX_PARTS = 1_000;

/** A form of a secret of which beginnings and ends are removed too. */
interface Divided {
  readonly form: string;
  /** The shortest beginning that is removed. */
  readonly first: string;
}

/**
 * Removes secrets from the texts of a server that they were sent to, which may repeat them: as they are, in capital or
 * small letters, in the escapes of JSON, addresses and HTML, also twice, in hexadecimal digits, in quoted-printable,
 * and in Base64, also twice and in several lines. Of long ones beginnings and ends are removed too. A server that
 * writes them in another way, or only a part from the middle, is not seen through.
 */
export class SecretMask {
  readonly #forms: readonly string[];
  readonly #inParts: readonly Divided[];

  constructor(secrets: readonly string[]) {
    const forms = secrets
      .filter((secret) => secret !== '')
      .flatMap((secret) => [...formsOf(secret), ...rareForms(secret)]);
    this.#forms = [...new Set(forms)].toSorted((one, other) => other.length - one.length);
    const long = secrets.map(withoutScheme).filter((secret) => secret.length >= MIN_IN_PARTS);
    this.#inParts = [...new Map(long.flatMap(dividedForms).map((each) => [each.form, each])).values()];
  }

  /** Returns the text with each secret masked. A text with an escaped secret is shown without any escapes. */
  mask(text: string): string {
    if (this.#forms.length === 0) return text;
    const whole = this.#unwrapped(this.#replaced(text));
    let [plain, isFound] = [whole, false];
    for (let depth = 0; depth < MAX_ESCAPED; depth++) {
      const read = plain.replaceAll(ESCAPES, unescaped);
      if (read === plain) break;
      plain = this.#unwrapped(this.#replaced(read));
      isFound ||= plain !== read;
    }
    // Parts are searched for last: the text before an escape or a line break would pass for a whole secret.
    const found = this.#withoutParts(plain);
    return isFound || found !== plain ? found : this.#withoutParts(whole);
  }

  /**
   * Returns the beginning of an unfinished text with each secret masked: as much of it as cannot end within a secret,
   * of which a part would be shown.
   */
  maskBeginning(text: string): string {
    const [longest = ''] = this.#forms;
    return this.mask(text).slice(0, -MAX_ESCAPE * longest.length || undefined);
  }

  /** Masks secrets that are broken across lines; then the text is shown as one line. */
  #unwrapped(text: string): string {
    const joined = text.replaceAll(LINE_BREAKS, '');
    const found = joined === text ? text : this.#replaced(joined);
    return found === joined ? text : found;
  }

  #replaced(text: string): string {
    return this.#forms.reduce((rest, form) => rest.replaceAll(form, MASK), text);
  }

  #withoutParts(text: string): string {
    const found = new FoundParts();
    for (const { form, first } of this.#inParts) {
      findBeginnings(form, first, text, found.search());
      findEnds(form, text, found.search());
    }
    return found.maskedIn(text);
  }
}

/** Adds a match of a part of a secret; returns whether the search is to continue. */
type AddPart = (start: number, end: number) => boolean;

/** The matches of parts of secrets in a text: a bounded number. */
class FoundParts {
  readonly #matches: { readonly start: number; end: number }[] = [];
  /** Where a search had found too many. */
  #cutAt = Number.POSITIVE_INFINITY;

  /** Begins a search, which finds matches from the beginning of the text on. Returns the function that adds one. */
  search(): AddPart {
    let last: { readonly start: number; end: number } | undefined;
    let count = 0;
    return (start, end) => {
      if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
      else if (count >= MAX_PARTS) this.#cutAt = Math.min(this.#cutAt, start);
      else {
        last = { start, end };
        this.#matches.push(last);
        count++;
      }
      return count < MAX_PARTS || this.#cutAt > start;
    };
  }

  /** Returns the text with each match masked; matches that touch share one mask. */
  maskedIn(text: string): string {
    const rest = this.#cutAt < text.length ? [{ start: this.#cutAt, end: text.length }] : [];
    const matches = [...this.#matches, ...rest].toSorted((one, other) => one.start - other.start);
    if (matches.length === 0) return text;
    const chunks: string[] = [];
    let done = 0;
    for (const { start, end } of matches) {
      if (start > done || chunks.length === 0) chunks.push(text.slice(done, start), MASK);
      done = Math.max(done, end);
      if (start >= this.#cutAt) return chunks.join('');
    }
    return [...chunks, text.slice(done)].join('');
  }
}

// The scheme of an address is no part of a secret.
function withoutScheme(secret: string): string {
  const end = secret.indexOf('://');
  return end > 0 && end <= MAX_SCHEME ? secret.slice(end + 3) : secret;
}

/** Returns the forms of a secret, each with the beginning that gives it away. */
function dividedForms(secret: string): Divided[] {
  const prefix = PUBLIC_PREFIX.exec(secret)?.[0] ?? '';
  const known = secret.length - prefix.length < MIN_IN_PARTS ? '' : prefix;
  return formsOf(secret).map((form) => {
    const length = known !== '' && form.startsWith(known) ? known.length + MIN_PART : MIN_PART;
    return { form, first: form.slice(0, length) };
  });
}

/** Finds where a text contains a beginning of a secret, each as long as possible. */
function findBeginnings(form: string, first: string, text: string, add: AddPart): void {
  for (let start = text.indexOf(first); start !== -1;) {
    let { length } = first;
    while (length < form.length && text[start + length] === form[length]) length++;
    if (!add(start, start + length)) return;
    // Another one may begin within the last characters of this one. To check all of them would cost their square.
    start = text.indexOf(first, start + Math.max(1, length - first.length + 1));
  }
}

/** Finds where a text has an end of a secret, each from as far back as it reaches behind the one before it. */
function findEnds(form: string, text: string, add: AddPart): void {
  const last = form.slice(-MIN_PART);
  let done = 0;
  for (let at = text.indexOf(last); at !== -1; at = text.indexOf(last, at + 1)) {
    let more = 0;
    const room = Math.min(form.length - MIN_PART, at - done);
    while (more < room && text[at - more - 1] === form[form.length - MIN_PART - more - 1]) more++;
    done = at + MIN_PART;
    if (!add(at - more, done)) return;
  }
}

/** Returns forms that hardly any service writes: they are found as a whole only. */
function rareForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.length < MIN_IN_HEX ? [] : [bytes.toString('hex')];
  const quoted = [...bytes].map((byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`);
  const partlyQuoted = quoted.map((code, at) => (QUOTED.test(code) ? code : String.fromCharCode(bytes[at] ?? 0)));
  const forms = [...hex, ...hex.map((digits) => digits.toUpperCase()), quoted.join(''), partlyQuoted.join('')];
  if (secret.length < MIN_IN_PARTS) return forms;
  return [...forms, secret.toLowerCase(), secret.toUpperCase(), ...base64Parts(secret).flatMap(base64Parts)];
}

function formsOf(secret: string): string[] {
  const encoded = encodeURIComponent(secret);
  const lower = encoded.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const inBase64 = base64Parts(secret).flatMap((part) => [part, part.replaceAll('+', '-').replaceAll('/', '_')]);
  return [secret, encoded, lower, encoded.replaceAll('%20', '+'), ...inBase64];
}

function base64Parts(text: string): string[] {
  return [0, 1, 2].map((offset) => base64Part(text, offset)).filter((part) => part.length >= MIN_ENCODED);
}

/**
 * Returns the characters that encode a secret in the Base64 of any text that has it after so many bytes, modulo three.
 */
function base64Part(secret: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const text = bytes.toString('base64').replaceAll('=', '');
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6));
}

// Without named groups: an object for each of a million escapes would keep the process busy for a second.
function unescaped(escape: string): string {
  const [first, second = ''] = escape;
  if (first === '%') return characterOf(escape.slice(1), 16);
  if (first === '\\') return /[ux]/i.test(second) ? characterOf(escape.slice(2), 16) : second;
  const name = escape.slice(1, -1).toLowerCase();
  if (second !== '#') return ENTITIES[name] ?? '';
  return name[1] === 'x' ? characterOf(name.slice(2), 16) : characterOf(name.slice(1), 10);
}

function characterOf(digits: string, base: 10 | 16): string {
  return String.fromCodePoint(Number.parseInt(digits, base));
}

/** Returns the values of an integration's secrets that answers are searched for, those within documents too. */
export function maskedSecrets(kind: Pick<IntegrationKind, 'fields'>, secrets: Secrets): readonly string[] {
  return maskedValues(kind, secrets, (text) => readKubeconfig(text, parseYaml));
}
