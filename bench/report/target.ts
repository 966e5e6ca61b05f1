/** A figure of the report: its limit, the measured value, and whether the limit is kept. */
export interface Target {
  readonly name: string;
  readonly measured: number;
  /** Absent when no figure is aimed at. */
  readonly bound?: number;
  /** Whether more is better, or less. */
  readonly better: 'more' | 'less';
  readonly unit: string;
  /** The best value of the same machine, measured in the same run. */
  readonly floor?: number;
  /** By how many percent it may be worse than in the other checkout, if that is limited. */
  readonly mostWorse?: number;
}

/** Prints which targets are met. Prints nothing when there are none. */
export function printVerdict(targets: readonly Target[]): void {
  if (targets.length === 0) return;
  printHeading('Verdict');
  printRows([
    ['', 'wanted', 'measured', 'verdict', 'floor'],
    ...targets.map((target) => [
      target.name,
      wantedOf(target),
      `${figure(target.measured)} ${target.unit}`,
      verdictOf(target),
      target.floor === undefined ? '' : `${figure(target.floor)} ${target.unit}`,
    ]),
  ]);
}

/** Returns a limit as text. */
export function wantedOf({ bound, better, unit }: Target): string {
  return bound === undefined ? '-' : `${better === 'more' ? '>=' : '<='} ${bound} ${unit}`;
}

/** Returns whether a limit is kept, as a word. */
export function verdictOf({ measured, bound, better }: Target): string {
  if (bound === undefined) return '';
  return (better === 'more' ? measured >= bound : measured <= bound) ? 'met' : 'missed';
}

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
