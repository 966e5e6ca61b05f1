/** Prints a heading. */
export function printHeading(text: string): void {
  process.stdout.write(`\n${text}\n`);
}

/** Prints rows as columns, the first aligned to the left and the others to the right. */
export function printRows(rows: readonly (readonly string[])[]): void {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  }
  for (const row of rows) {
    const cells = row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)));
    process.stdout.write(`  ${cells.join('  ').trimEnd()}\n`);
  }
}

/** Returns a number with so many digits after its point, `-` when it is none. */
export function figure(value: number, digits = 1): string {
  return Number.isFinite(value) ? value.toFixed(digits) : '-';
}
