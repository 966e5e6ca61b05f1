import { z } from 'zod';
import type { AssistantMessage } from '../reply-layout.ts';

/** The catalog's word for this wire format. */
export const OPENAI_COMPAT = 'openai_compat';

/** The longest reasoning that is kept to be sent back, in characters. */
export const MAX_REASONING_CHARACTERS = 400_000;

const stateSchema = z.object({
  model: z.string(),
  /** DeepSeek and Moonshot reject a reply with calls that comes back without its reasoning. */
  reasoning: z.string(),
  /** Google's signatures, one for each call; null for none. */
  extras: z.array(z.unknown()),
});

/** The data that some of these providers want back with a reply that called tools. */
export type CompletionState = z.infer<typeof stateSchema>;

/** Returns the state to keep, or undefined when nothing has to be sent back. */
export function toCompletionState(state: CompletionState): CompletionState | undefined {
  const isLong = state.reasoning.length > MAX_REASONING_CHARACTERS;
  const kept = isLong ? { ...state, reasoning: '' } : state;
  return kept.reasoning === '' && kept.extras.every((extra) => extra === null) ? undefined : kept;
}

/** Returns what a reply's state adds to its message and to each of its calls. */
export function stateOf({ state }: AssistantMessage, model: string): Pick<CompletionState, 'reasoning' | 'extras'> {
  const known = stateSchema.safeParse(state?.streamType === OPENAI_COMPAT ? state.data : undefined);
  return known.success && known.data.model === model ? known.data : { reasoning: '', extras: [] };
}
