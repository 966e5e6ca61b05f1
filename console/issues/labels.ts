/** Returns the labels in a line of them, with commas between. */
export function labelsOf(line: string): string[] {
  const labels = line.split(',').map((label) => label.trim());
  return [...new Set(labels.filter((label) => label !== ''))];
}

/** Returns a line of labels. */
export function lineOf(labels: readonly string[]): string {
  return labels.join(', ');
}
