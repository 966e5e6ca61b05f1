import {
  CALL_INFO,
  closesFence,
  couldOpenCall,
  type FenceMark,
  MAX_FENCE_LINE_CHARACTERS,
  readOpeningLine,
} from './fence-line.ts';
import { JsonScanner } from './parse-json.ts';
import { type FencedCall, guessName, overlongCall, readFence, unclosedCall, UNREAD_CALL } from './read-call.ts';
import { MAX_ARGUMENT_CHARACTERS, MAX_CALLS_PER_REPLY } from './tool-call.ts';

/** Longest text between two fences: the longest arguments, and some for the name and the fields around them. */
const MAX_BODY_CHARACTERS = MAX_ARGUMENT_CHARACTERS + 2_000;

// Each wrong guess is text read twice. A reply that provokes more is read by its first closing lines.
const MAX_WRONG_GUESSES = 32;

/** A fenced call that is being read. */
interface OpenFence {
  readonly fence: FenceMark;
  /** The opening line as it was written. */
  readonly opening: string;
  readonly scanner: JsonScanner;
  body: string;
  /**
   * The end of the body, and the start of the text after it, if the first closing line inside a string turns out to be
   * the end.
   */
  guess: { readonly bodyEnd: number; readonly resume: number } | undefined;
  /** Set for a body that is not kept any more: it is too long. */
  overlong: FencedCall | undefined;
}

/**
 * Extracts the fenced calls from a streamed reply. The shown text and the calls do not depend on how the stream is cut.
 * Nothing of a fenced call is ever shown; other text is shown as soon as it cannot begin one. Never throws. Takes
 * linear time, and memory for one call and `MAX_CALLS_PER_REPLY` parsed ones.
 *
 * A splitter for certain tools takes only the calls of these. A fence that turns out to contain anything else is text,
 * shown whole once it has ended.
 *
 * A closing line inside a JSON string belongs to the string. Only when the JSON is never completed does the first such
 * line count as the end, and the call is invalid.
 */
export class FenceSplitter {
  readonly #only: ReadonlySet<string> | undefined;
  readonly #shown = new ShownText();
  readonly #calls: FencedCall[] = [];
  #block: FenceMark | undefined;
  #call: OpenFence | undefined;
  /** The line as far as it has come, up to a little more than a fence line may have. */
  #line = '';
  /** Text at the beginning of the line that is not shown yet, as it may open a call. */
  #pending = '';
  #wrongGuesses = 0;

  /** `only`: the tools whose calls are taken; those of every tool when it is left out. */
  constructor(only?: ReadonlySet<string>) {
    this.#only = only;
  }

  /** Adds the next chunk of the reply; returns the text to show now. */
  push(text: string): string {
    this.#read(text);
    return this.#shown.take();
  }

  /**
   * Returns the reply is over: the rest to show and all calls, in order. White space at the end is dropped after a
   * reply with fenced calls.
   */
  end(): { readonly visible: string; readonly calls: readonly FencedCall[] } {
    this.#endLine('');
    while (this.#call !== undefined) {
      const rest = this.#abandonCall(this.#call);
      if (rest === undefined) break;
      this.#read(rest);
      this.#endLine('');
    }
    return { visible: this.#shown.finish(this.#calls.length > 0), calls: this.#calls };
  }

  #read(text: string): void {
    let rest = text;
    while (rest !== '') {
      const end = rest.indexOf('\n') + 1;
      const chunk = end === 0 ? rest : rest.slice(0, end);
      const again = this.#call === undefined ? this.#readText(chunk) : this.#readBody(this.#call, chunk);
      rest = again + rest.slice(chunk.length);
    }
  }

  /** Reads a chunk of one line; returns text that has to be read again. */
  #readText(chunk: string): string {
    if (chunk.endsWith('\n')) return this.#endLine(chunk);
    this.#grow(chunk);
    this.#pending += chunk;
    if (this.#block !== undefined || !couldOpenCall(this.#line)) this.#release();
    return '';
  }

  #readBody(call: OpenFence, chunk: string): string {
    if (call.overlong !== undefined) return this.#endOrGrow(chunk);
    const room = MAX_BODY_CHARACTERS - call.body.length;
    if (room === 0) return this.#endOverlong(call, chunk);
    const part = chunk.slice(0, room);
    call.body += part;
    const balancedAt = call.scanner.feed(part);
    // The closing fence may follow the JSON on the same line.
    if (balancedAt !== undefined) this.#line = '';
    return this.#endOrGrow(part.slice(balancedAt ?? 0)) + chunk.slice(room);
  }

  #endOverlong(call: OpenFence, chunk: string): string {
    if (call.guess !== undefined) return this.#takeGuess(call, call.guess) + chunk;
    if (!this.#isWanted(guessName(call.body))) {
      this.#showFence(call, call.body);
      this.#block = call.fence;
      return chunk;
    }
    call.overlong = overlongCall(call.body);
    call.body = '';
    return chunk;
  }

  #endOrGrow(chunk: string): string {
    if (chunk.endsWith('\n')) return this.#endLine(chunk);
    this.#grow(chunk);
    return '';
  }

  /** Completes the line with `chunk`, which ends with the line feed except at the end of the reply. */
  #endLine(chunk: string): string {
    this.#grow(chunk.endsWith('\n') ? chunk.slice(0, -1) : chunk);
    const line = this.#line;
    this.#line = '';
    if (this.#call !== undefined) return this.#endBodyLine(this.#call, line);
    this.#pending += chunk;
    this.#endTextLine(line);
    return '';
  }

  #endTextLine(line: string): void {
    const opening = this.#block === undefined ? readOpeningLine(line) : undefined;
    if (opening?.info === CALL_INFO) {
      const scanner = new JsonScanner();
      this.#call = { fence: opening, opening: this.#pending, scanner, body: '', guess: undefined, overlong: undefined };
      this.#pending = '';
      return;
    }
    this.#release();
    if (this.#block === undefined) this.#block = opening;
    else if (closesFence(line, this.#block)) this.#block = undefined;
  }

  #endBodyLine(call: OpenFence, line: string): string {
    if (!closesFence(line, call.fence)) return '';
    if (call.overlong === undefined && call.scanner.isInString && this.#wrongGuesses < MAX_WRONG_GUESSES) {
      call.guess ??= { bodyEnd: bodyEnd(call, line), resume: call.body.length };
      return '';
    }
    if (call.guess !== undefined && !call.scanner.isBalanced) return this.#takeGuess(call, call.guess);
    if (call.overlong !== undefined) this.#takeCall(call.overlong);
    else this.#closeCall(call, call.body.slice(0, bodyEnd(call, line)), call.body);
    return '';
  }

  #takeGuess(call: OpenFence, guess: NonNullable<OpenFence['guess']>): string {
    this.#wrongGuesses += 1;
    this.#line = '';
    this.#closeCall(call, call.body.slice(0, guess.bodyEnd), call.body.slice(0, guess.resume));
    return call.body.slice(guess.resume);
  }

  /**
   * Ends `call` at the end of the reply, which is within it. Returns text that has to be read again; undefined when
   * there is none.
   */
  #abandonCall(call: OpenFence): string | undefined {
    if (call.guess !== undefined) return this.#takeGuess(call, call.guess);
    if (call.overlong !== undefined || this.#isWanted(guessName(call.body))) {
      this.#takeCall(call.overlong ?? unclosedCall(call.body));
    } else this.#showFence(call, call.body);
    return undefined;
  }

  /** Ends the fence: `body` is its content, `text` the same with the closing line. */
  #closeCall(call: OpenFence, body: string, text: string): void {
    const isRead = this.#calls.length < MAX_CALLS_PER_REPLY;
    const read = isRead ? readFence(body) : UNREAD_CALL;
    if (this.#isWanted(isRead ? read.name : guessName(body))) this.#takeCall(read);
    else this.#showFence(call, text);
  }

  #isWanted(name: string): boolean {
    return this.#only === undefined || this.#only.has(name);
  }

  #takeCall(call: FencedCall): void {
    this.#shown.cut();
    this.#calls.push(call);
    this.#call = undefined;
  }

  #showFence({ opening }: OpenFence, text: string): void {
    this.#shown.add(opening + text);
    this.#call = undefined;
  }

  #grow(text: string): void {
    const room = MAX_FENCE_LINE_CHARACTERS + 1 - this.#line.length;
    if (room > 0) this.#line += text.slice(0, room);
  }

  #release(): void {
    this.#shown.add(this.#pending);
    this.#pending = '';
  }
}

/** Returns the end of a body that was read up to and including its closing `line`. */
function bodyEnd({ body }: OpenFence, line: string): number {
  return body.length - line.length - (body.endsWith('\n') ? 1 : 0);
}

const MAX_DEFERRED_CHARACTERS = 1_000;
const GAP = '\n\n';

/**
 * Collects the part of a reply that viewers see: the text around fenced calls. One empty line replaces a call between
 * two texts, and no white space is left at its sides. White space is buffered until text follows it.
 */
class ShownText {
  #ready = '';
  #deferred = '';
  #isAfterCall = false;
  #hasShown = false;

  add(text: string): void {
    const end = text.trimEnd().length;
    if (end > 0) this.#show(text.slice(0, end));
    this.#defer(text.slice(end));
  }

  /** Records the position of a call. */
  cut(): void {
    this.#deferred = '';
    this.#isAfterCall = true;
  }

  /** Returns the text that can be shown now; each character is returned once. */
  take(): string {
    const ready = this.#ready;
    this.#ready = '';
    return ready;
  }

  /** Returns all that is left; white space at the end goes with it, unless `isTrimmed`. */
  finish(isTrimmed: boolean): string {
    const rest = this.take();
    return isTrimmed ? rest : rest + this.#deferred;
  }

  #show(text: string): void {
    if (this.#isAfterCall) this.#ready += (this.#hasShown ? GAP : '') + text.trimStart();
    else this.#ready += this.#deferred + text;
    this.#deferred = '';
    this.#isAfterCall = false;
    this.#hasShown = true;
  }

  #defer(blank: string): void {
    if (this.#isAfterCall) return;
    this.#deferred += blank;
    const excess = this.#deferred.length - MAX_DEFERRED_CHARACTERS;
    if (excess <= 0) return;
    this.#ready += this.#deferred.slice(0, excess);
    this.#deferred = this.#deferred.slice(excess);
    this.#hasShown = true;
  }
}
