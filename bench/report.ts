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

/** A number with so many digits after its point, `-` when it is none. */
export function figure(value: number, digits = 1): string {
  return Number.isFinite(value) ? value.toFixed(digits) : '-';
}

/** What is aimed at, what was measured, and whether that is enough. */
export interface Target {
  readonly name: string;
  readonly measured: number;
  readonly bound: number;
  /** Whether more is better, or less. */
  readonly better: 'more' | 'less';
  readonly unit: string;
}

/** Prints which targets are met. */
export function printVerdict(targets: readonly Target[]): void {
  printRows([
    ['', 'target', 'measured', 'verdict'],
    ...targets.map(({ name, measured, bound, better, unit }) => {
      const isMet = better === 'more' ? measured >= bound : measured <= bound;
      const sign = better === 'more' ? '>=' : '<=';
      return [name, `${sign} ${bound} ${unit}`, `${figure(measured)} ${unit}`, isMet ? 'met' : 'missed'];
    }),
  ]);
}
