import { asObject } from '../transport/json.ts';

/** Turns a whole completion into the one chunk of an equivalent stream; undefined when it is no completion. */
export function splitCompletion(answer: unknown): readonly unknown[] | undefined {
  const { choices } = asObject(answer);
  if (!Array.isArray(choices)) return undefined;
  const asDeltas = choices.map((choice: unknown) => ({ delta: asObject(choice)['message'], ...asObject(choice) }));
  return [{ ...asObject(answer), choices: asDeltas }];
}
