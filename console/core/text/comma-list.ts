/** Returns what stands between the commas of a line, without empty ones; what is named twice counts once. */
export function partsOfLine(line: string): string[] {
  const parts = line.split(',').map((part) => part.trim());
  return [...new Set(parts.filter((part) => part !== ''))];
}

/** Returns a line of words, with commas between. */
export function lineOf(words: readonly string[]): string {
  return words.join(', ');
}
