import { compareDecimals, decimalOf } from './decimal.ts';

/** Returns the text of a row's cell in a column. */
export type CellOf = (row: readonly string[], column: string) => string;

/** Tells whether a cell fits what is asked of it. */
type Condition = (cell: string) => boolean;

const OPERATORS: Readonly<Record<string, (operand: unknown) => Condition>> = {
  eq: (operand) => (cell) => equals(cell, operand),
  ne: (operand) => (cell) => !equals(cell, operand),
  gt: (operand) => (cell) => cell !== '' && compare(cell, operand) > 0,
  gte: (operand) => (cell) => cell !== '' && compare(cell, operand) >= 0,
  lt: (operand) => (cell) => cell !== '' && compare(cell, operand) < 0,
  lte: (operand) => (cell) => cell !== '' && compare(cell, operand) <= 0,
  contains: (operand) => (cell) => cell.toLowerCase().includes(textOf(operand).toLowerCase()),
  in: (operand) => (cell) => Array.isArray(operand) && operand.some((each) => equals(cell, each)),
  empty: (operand) => (cell) => (cell.trim() === '') === operand,
};

/** Makes a test of rows of `where`: by column a value, or operators with their operands. All must hold. */
export function rowFilter(where: Readonly<Record<string, unknown>>, cellOf: CellOf) {
  const conditions = Object.entries(where).flatMap(([column, wanted]) =>
    conditionsOf(wanted).map((holds) => ({ column, holds })),
  );
  return (row: readonly string[]) => conditions.every(({ column, holds }) => holds(cellOf(row, column)));
}

function conditionsOf(wanted: unknown): Condition[] {
  if (typeof wanted !== 'object' || wanted === null) return [makeCondition('eq', wanted)];
  if (Array.isArray(wanted)) return [makeCondition('in', wanted)];
  return Object.entries(wanted).map(([operator, operand]) => makeCondition(operator, operand));
}

function makeCondition(operator: string, operand: unknown): Condition {
  const make = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
  if (make === undefined)
    throw new Error(`where knows no operator ${operator}; it knows ${Object.keys(OPERATORS).join(', ')}`);
  return make(operand);
}

/** Compares two cells: as numbers when both are, else as texts. */
export function compareCells(one: string, other: string): number {
  const [left, right] = [decimalOf(one), decimalOf(other)];
  if (left === undefined || right === undefined) return one < other ? -1 : Number(one > other);
  return compareDecimals(left, right);
}

// What is given as a text is meant as one: 10 is neither 010 nor 1e1. Blanks around it are none of it: many tables have
// them behind delimiters.
function equals(cell: string, operand: unknown): boolean {
  const text = cell.trim();
  return typeof operand === 'string' ? text === operand.trim() : compareCells(text, textOf(operand)) === 0;
}

function compare(cell: string, operand: unknown): number {
  return compareCells(cell, textOf(operand));
}

function textOf(operand: unknown): string {
  return typeof operand === 'string' ? operand : operand === null ? '' : JSON.stringify(operand);
}
