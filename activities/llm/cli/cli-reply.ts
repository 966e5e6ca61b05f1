import { stripVTControlCharacters } from 'node:util';
import { SecretMask } from '../../core/secret-mask.ts';
import { CliFlood } from '../../sandbox/cli/cli-process.ts';
import type { HomeFiles } from '../../sandbox/cli/given-cli.ts';
import { classifyReported } from '../failures/describe-failure.ts';
import { ProviderFailure, scrub } from '../failures/provider-failure.ts';
import { ReportedError } from '../failures/reported-error.ts';
import type { ModelEvent } from '../model-adapter.ts';
import { CallTimeout } from '../transport/call-limits.ts';
import { asObject, isReported, parseJson } from '../transport/json.ts';
import { WholeCharacters } from '../transport/event-stream.ts';
import { cliError, type CliProgram, type CliReader } from './programs/cli-program.ts';

/** Lines about one reply: more than the longest has tokens. */
const MAX_LINES = 250_000;
const MAX_LAST_WORDS = 500;

/** The output of one run of a program, without the credentials that it was given. */
export class CliReply {
  /** The exit code of the program; null when it was ended. */
  exitCode: number | null = null;
  readonly #program: CliProgram;
  readonly #reader: CliReader;
  readonly #secrets: readonly string[];
  readonly #filter: SecretFilter;
  readonly #characters = new WholeCharacters();
  #lines = 0;
  #unreachable: string | undefined;

  constructor(program: CliProgram, credentials: HomeFiles) {
    this.#program = program;
    this.#reader = program.createReader();
    this.#secrets = secretsIn(credentials);
    this.#filter = new SecretFilter(this.#secrets);
  }

  /** Whether the reply has reached the limit of its tokens: the program would continue. */
  get isCut(): boolean {
    return this.#reader.reason === 'length';
  }

  /** Records that a host of the vendor could not be reached, which a program may report as a revoked sign-in. */
  noteUnreachable(host: string): void {
    this.#unreachable = host;
  }

  /** Reads a line of the program. Throws the error that it reports. */
  *read(line: string): Generator<ModelEvent> {
    this.#lines += 1;
    if (this.#lines > MAX_LINES) throw new CliFlood('wrote far more than a reply can contain');
    // Programs write other things than events, too.
    const event = line.startsWith('{') ? parseJson(line) : undefined;
    if (event === undefined) return;
    const text = this.#filter.push(this.#characters.take(this.#reader.read(event)));
    if (text !== '') yield { type: 'text', text };
  }

  /** Ends the reply. Throws when it is not complete. */
  *end(lastWords: string): Generator<ModelEvent> {
    const { reason, usage } = this.#reader;
    if (reason === undefined) throw this.#endedEarly(lastWords);
    const rest = this.#filter.push(this.#characters.rest()) + this.#filter.end();
    if (rest !== '') yield { type: 'text', text: rest };
    if (isReported(usage)) yield { type: 'usage', usage };
    yield { type: 'end', reason };
  }

  /** Returns a failure in words without credentials, where the error is one of the program. */
  explain(error: unknown): unknown {
    if (error instanceof CallTimeout) return new ProviderFailure(error.message, { kind: 'timeout', cause: error });
    if (error instanceof CliFlood) return new ProviderFailure(error.message, { kind: 'outage', cause: error });
    if (!(error instanceof ReportedError)) return error;
    const detail = this.#clean(error.message);
    error.message = detail;
    if (classifyReported(error, false) !== 'credentials') return error;
    if (this.#unreachable !== undefined)
      return new ProviderFailure(`could not reach ${this.#unreachable}`, { kind: 'outage', cause: error });
    const why = detail === '' ? '' : ` (${detail})`;
    const words = `is not signed in any more${why}. Its owner can sign in again under the same name`;
    return new ProviderFailure(words, { kind: 'credentials', cause: error });
  }

  #endedEarly(lastWords: string): unknown {
    const words = wordsIn(lastWords);
    const status = this.#program.statusOfEnd(this.exitCode);
    if (status !== undefined) return cliError(words, status);
    const said = this.#clean(words);
    const how = this.exitCode === null ? 'was ended' : `ended with the exit code ${this.exitCode}`;
    const failure = `${how} before its reply was complete${said === '' ? '' : `: ${said}`}`;
    return new ProviderFailure(failure, { kind: 'outage' });
  }

  #clean(said: string): string {
    return scrub(new SecretMask(this.#secrets).mask(said), undefined);
  }
}

// The part for people: without colours and stack traces.
function wordsIn(lastWords: string): string {
  const lines = stripVTControlCharacters(lastWords).split('\n');
  const said = lines.map((line) => line.trim()).filter((line) => line !== '' && !isOfStack(line));
  const last = said.at(-1) ?? '';
  // Some say twice why they end.
  const others = said.slice(0, -1).filter((line) => !line.includes(last));
  return [...others, last].join('\n').slice(-MAX_LAST_WORDS);
}

function isOfStack(line: string): boolean {
  if (!line.startsWith('at ')) return /^(?:[{}\]),;]+$|exitCode:)/.test(line);
  const [column = '', row = ''] = line.split(':').toReversed();
  return /^\d/.test(column) && /^\d+$/.test(row);
}

const MASK = '***';
const NAME_OF_SECRET = /token|secret|key/i;
const MIN_CHARACTERS = 16;

/** Returns the secrets in the files of a sign-in: the longer texts of fields that are named so, the longest first. */
function secretsIn(files: HomeFiles): string[] {
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

/** Masks secrets in a text that arrives in chunks. Only an end that may be the beginning of one is buffered. */
class SecretFilter {
  readonly #secrets: readonly string[];
  #buffered = '';

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  /** Adds the next chunk; returns the text that can be shown. */
  push(chunk: string): string {
    const text = this.#secrets.reduce((rest, secret) => rest.replaceAll(secret, MASK), this.#buffered + chunk);
    const begun = Math.max(0, ...this.#secrets.map((secret) => begunAtEnd(text, secret)));
    this.#buffered = text.slice(text.length - begun);
    return text.slice(0, text.length - begun);
  }

  /** Returns what was buffered. */
  end(): string {
    return this.#buffered;
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
