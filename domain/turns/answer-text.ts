/** Stands between what a model says before its tool calls and what it says after them. */
const SEPARATOR = '\n\n';

/** Returns the answer of a turn from the texts of its steps, in order; steps that said nothing leave no trace. */
export function joinAnswer(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join(SEPARATOR);
}

/** Returns the separator that goes before the next step's first text, given the answer so far. */
export function separatorAfter(base: string): string {
  return base === '' ? '' : SEPARATOR;
}

/** Returns how long the answer is after each of its texts, given their lengths, in UTF-16 code units. */
export function answerLengths(lengths: readonly number[]): number[] {
  let length = 0;
  return lengths.map((each) => {
    if (each > 0) length += (length === 0 ? 0 : SEPARATOR.length) + each;
    return length;
  });
}
