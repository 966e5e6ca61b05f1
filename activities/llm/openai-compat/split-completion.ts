import { asObject } from '../transport/json.ts';

/** A whole completion as the one chunk that a stream of it could have been, or undefined when it is none. */
export function splitCompletion(answer: unknown): readonly unknown[] | undefined {
  const { choices } = asObject(answer);
  if (!Array.isArray(choices)) return undefined;
  const asDeltas = choices.map((choice: unknown) => ({ delta: asObject(choice)['message'], ...asObject(choice) }));
  return [{ ...asObject(answer), choices: asDeltas }];
}
