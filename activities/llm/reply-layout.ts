import { z } from 'zod';
import type { ModelMessage, ModelToolCall } from '../../domain/transcripts/model-message.ts';

const layoutPartSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), characters: z.int().min(0), signature: z.string().optional() }),
  z.object({ type: z.literal('call'), signature: z.string().optional() }),
  z.object({ type: z.literal('block'), block: z.record(z.string(), z.unknown()) }),
]);

const stateSchema = z.object({ model: z.string(), pieces: z.array(layoutPartSchema) });

/**
 * One part of a reply, in the model's order. Texts and calls refer to those of the transcript, so that they are not
 * stored twice; a `block` is the provider's own and is sent back unchanged.
 */
export type LayoutPart = z.infer<typeof layoutPartSchema>;

/** The layout of a reply whose provider wants more back than text and calls. */
type ReplyLayout = z.infer<typeof stateSchema>;

/** A reply of a transcript. */
export type AssistantMessage = Extract<ModelMessage, { role: 'assistant' }>;

/** A part to send: the transcript's text or call, or the provider's own block. */
export type FilledPart =
  | { readonly type: 'text'; readonly text: string; readonly signature: string | undefined }
  | { readonly type: 'call'; readonly call: ModelToolCall; readonly signature: string | undefined }
  | { readonly type: 'block'; readonly block: Readonly<Record<string, unknown>> };

/** The longest state that is kept, in characters of JSON; a longer one is not worth sending in every later request. */
const MAX_STATE_CHARACTERS = 1_000_000;

/**
 * The character budget of a state while it arrives. A state that exceeds it is dropped, so no more of it is in memory.
 */
export class StateRoom {
  #left = MAX_STATE_CHARACTERS;

  /** Whether more came than the budget allows. */
  get isExceeded(): boolean {
    return this.#left < 0;
  }

  /** Takes characters from the budget; returns whether they fit. */
  take(characters: number): boolean {
    this.#left -= characters;
    return !this.isExceeded;
  }
}

/**
 * Returns the state of a reply to an API that wants its reasoning back only after calls of tools; undefined when it
 * calls none, its state is too large, or nothing in it has to be sent back.
 */
export function toStateOfCalls(model: string, parts: readonly LayoutPart[], room: StateRoom): ReplyLayout | undefined {
  return room.isExceeded || !parts.some(({ type }) => type === 'call') ? undefined : toState(model, parts);
}

/** Returns the state of a reply, or undefined when nothing in it has to be sent back. */
export function toState(model: string, parts: readonly LayoutPart[]): ReplyLayout | undefined {
  const isPlain = parts.every((part) => part.type !== 'block' && part.signature === undefined);
  if (isPlain) return undefined;
  const state = { model, pieces: [...parts] };
  return JSON.stringify(state).length > MAX_STATE_CHARACTERS ? undefined : state;
}

/**
 * Returns the layout of a reply if it came from this wire format and this very model: another model's signatures mean
 * nothing to it.
 */
export function layoutOf({ state }: AssistantMessage, streamType: string, model: string): readonly LayoutPart[] {
  if (state?.streamType !== streamType) return [];
  const layout = stateSchema.safeParse(state.data);
  return layout.success && layout.data.model === model ? layout.data.pieces : [];
}

/**
 * Returns a reply's text and calls in the order of a layout. Each comes out exactly once, even where the transcript
 * contains more or less than the layout knows.
 */
export function fill({ content, toolCalls = [] }: AssistantMessage, layout: readonly LayoutPart[]): FilledPart[] {
  const known = layout.reduce((sum, part) => sum + (part.type === 'text' ? part.characters : 0), 0);
  const calls = [...toolCalls];
  let rest = content;
  // Texts that no longer match their lengths all go where the first one was.
  const take = (characters: number) => {
    const text = known === content.length ? rest.slice(0, characters) : rest;
    rest = rest.slice(text.length);
    return text;
  };
  const filled = layout.flatMap((part): FilledPart[] => {
    if (part.type === 'block') return [part];
    const { type, signature } = part;
    if (type === 'text') return [{ type, text: take(part.characters), signature }];
    const call = calls.shift();
    return call === undefined ? [] : [{ type, call, signature }];
  });
  const firstCall = filled.findIndex(({ type }) => type === 'call');
  if (rest !== '') {
    filled.splice(firstCall < 0 ? filled.length : firstCall, 0, { type: 'text', text: rest, signature: undefined });
  }
  return [...filled, ...calls.map((call) => ({ type: 'call' as const, call, signature: undefined }))];
}

/** A message of an API that has user and assistant take turns. */
export interface AlternatingMessage<Block> {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Block[];
}

/**
 * Turns a transcript into messages in which user and assistant alternate: what follows in the same role goes into one.
 * Instructions of the system are left out, and so is a message without a block.
 */
export function toAlternating<Block>(
  messages: readonly ModelMessage[],
  toBlocks: (message: ModelMessage) => readonly Block[],
): AlternatingMessage<Block>[] {
  const list: AlternatingMessage<Block>[] = [];
  for (const message of messages) {
    if (message.role === 'system') continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const content = toBlocks(message);
    const last = list.at(-1);
    if (content.length === 0) continue;
    if (last?.role === role) list[list.length - 1] = { role, content: [...last.content, ...content] };
    else list.push({ role, content });
  }
  return list;
}

/** Returns a text as it is sent to an API that rejects one without a visible character. */
export function shownText(content: string): string {
  return content.trim() === '' ? '(empty message)' : content;
}
