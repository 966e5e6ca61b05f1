const LETTERS = 26;
const A = 64;
const RANGE = /^([A-Z]{0,3})(\d{0,7})(?::([A-Z]{0,3})(\d{0,7}))?$/;

/** A rectangle of cells, from 1, its ends included; it is empty when an end lies before its beginning. */
export interface CellRange {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Returns the letters of a column, from 1. */
export function columnName(column: number): string {
  let [name, rest] = ['', column];
  for (; rest > 0; rest = Math.floor((rest - 1) / LETTERS))
    name = String.fromCodePoint(A + 1 + ((rest - 1) % LETTERS)) + name;
  return name;
}

/** Reads a range such as `A1:D20`, `B:C` or `5:90`, and cuts it to the cells that there are. */
export function parseRange(
  range: string | undefined,
  { width, height }: { readonly width: number; readonly height: number },
): CellRange {
  if (range === undefined) return { left: 1, top: 1, right: width, bottom: height };
  const parts = RANGE.exec(range.trim().toUpperCase().replaceAll('$', ''));
  const [, left = '', top = '', right = left, bottom = top] = parts ?? [];
  const isEmpty = left === '' && top === '';
  if (parts === null || isEmpty || (left === '') !== (right === ''))
    throw new Error('range must look like A1:D20, B:C or 5:90');
  return {
    left: numberOf(left, 1),
    top: Math.max(1, numberOf(top, 1)),
    right: Math.min(numberOf(right, width), width),
    bottom: Math.min(numberOf(bottom, height), height),
  };
}

// What is left open is taken as far as it goes.
function numberOf(text: string, open: number): number {
  if (text === '') return open;
  return /^\d/.test(text) ? Number(text) : columnNumber(text);
}

function columnNumber(letters: string): number {
  let number = 0;
  for (const letter of letters) number = number * LETTERS + (letter.codePointAt(0) ?? A) - A;
  return number;
}
