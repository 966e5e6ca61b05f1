import type { WireReply } from '../wire-servers/index.ts';

/** What a scripted provider says in one reply, whatever its wire format. */
export interface ProviderScript {
  readonly thought?: string;
  readonly text?: string;
  readonly call?: { readonly name: string; readonly args: Readonly<Record<string, unknown>> };
  readonly end: 'done' | 'length' | 'content_filter';
}

/** What every scripted reply costs; the tokens from the cache come on top of the fresh ones. */
export const TOKENS = { fresh: 10, cached: 90, output: 12 } as const;

/** Chunks of a text, as a stream brings them. */
export function partsOf(text: string): readonly string[] {
  return text.match(/.{1,5}/gsu) ?? [];
}

/** How a wire format says what a script holds. */
export interface ScriptedForm {
  readonly play: (script: ProviderScript) => WireReply;
  /** What it answers to a conversation that is too long for the model. */
  readonly tooLong: WireReply;
}
