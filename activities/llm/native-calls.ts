import { JsonScanner } from '../../domain/tool-calls/parse-json.ts';
import { MAX_ARGUMENT_CHARACTERS, MAX_REPLY_ARGUMENT_CHARACTERS } from '../../domain/tool-calls/tool-call.ts';
import { asText, parseJson } from './transport/json.ts';
import type { EndReason, NativeCall } from './model-adapter.ts';

/** Calls of one reply that are kept; a turn runs far fewer. */
export const MAX_CALLS_KEPT = 256;
const MAX_NAME_CHARACTERS = 256;
const MAX_ID_CHARACTERS = 256;

/** Returns the id of a call, cut to the length that is kept; '' for none. */
export function toCallId(value: unknown): string {
  return asText(value).slice(0, MAX_ID_CHARACTERS);
}

/** The character budget that the calls of one reply share. */
export class ArgumentRoom {
  #left = MAX_REPLY_ARGUMENT_CHARACTERS;

  /** Takes characters from the budget; returns how many of them fit. */
  take(characters: number): number {
    const taken = Math.min(characters, this.#left);
    this.#left -= taken;
    return taken;
  }
}

/** A call while it arrives. */
export class StreamedCall {
  id: string;
  readonly arguments: ArgumentText;
  #name = '';

  constructor(room: ArgumentRoom, id: string, name: string) {
    this.arguments = new ArgumentText(room);
    this.id = id;
    this.addName(name);
  }

  get name(): string {
    return this.#name;
  }

  /** Adds to the name. Most providers send it once, some with every chunk, some chunk by chunk. */
  addName(part: string): void {
    if (part === '' || part === this.#name) return;
    if (part.startsWith(this.#name)) this.#name = part;
    else if (this.arguments.text === '') this.#name += part;
    this.#name = this.#name.slice(0, MAX_NAME_CHARACTERS);
  }
}

/** The JSON text of arguments that arrives in chunks; the cost of a chunk does not grow with what came before it. */
class ArgumentText {
  text = '';
  /** Whether the rest did not fit. */
  isCut = false;
  readonly #room: ArgumentRoom;
  readonly #scanner = new JsonScanner();

  constructor(room: ArgumentRoom) {
    this.#room = room;
  }

  /** Whether a whole JSON object has arrived. */
  get isWhole(): boolean {
    return this.#scanner.isBalanced;
  }

  /** Whether nothing is missing: there are no arguments, they are valid JSON, or more came than fits. */
  get isFinished(): boolean {
    return this.isCut || this.isWhole || this.text.trim() === '' || parseJson(this.text) !== undefined;
  }

  /** Adds a chunk: text, or, as some servers send it, an object. */
  add(chunk: unknown): void {
    const text = typeof chunk === 'object' && chunk !== null ? JSON.stringify(chunk) : chunk;
    if (typeof text !== 'string') return;
    const wanted = text.slice(0, MAX_ARGUMENT_CHARACTERS + 1 - this.text.length);
    const kept = wanted.slice(0, this.#room.take(wanted.length));
    this.isCut ||= kept.length < wanted.length;
    this.#scanner.feed(kept);
    this.text += kept;
  }
}

/**
 * Returns the calls of a finished reply. Of a reply that was stopped in the middle, incomplete calls are left out: half
 * a call must not run, and a model that met its limit would meet it again.
 */
export function completeCalls(calls: readonly StreamedCall[], reason: EndReason | undefined): NativeCall[] {
  const isWhole = (call: StreamedCall, at: number) =>
    reason === 'done' || call.arguments.isWhole || (call.arguments.text === '' && at < calls.length - 1);
  return calls
    .filter((call, at) => call.name !== '' && isWhole(call, at))
    .map(({ name, arguments: { text, isCut } }) => ({ name, argumentsText: text, ...(isCut ? { isCut } : {}) }));
}
