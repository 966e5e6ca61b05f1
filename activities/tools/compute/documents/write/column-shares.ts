/** The least and the most characters that a column is counted for, and the longest word that is not broken. */
const [LEAST, MOST, WORD] = [6, 45, 20];

/** Returns the widths of a table's columns in percent: by their texts, and none much too narrow. */
export function columnShares(rows: readonly (readonly string[])[]): number[] {
  const weights = (rows[0] ?? []).map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, weightOf(row[column] ?? '')), LEAST),
  );
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => Math.floor((weight / sum) * 10_000) / 100);
}

// A long text can be wrapped, a word should not be.
function weightOf(text: string): number {
  const longestWord = text.split(/\s+/).reduce((longest, word) => Math.max(longest, word.length), 0);
  return Math.max(Math.min(text.length, MOST), Math.min(longestWord, WORD)) + 2;
}
