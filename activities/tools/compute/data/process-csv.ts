import Papa from 'papaparse';
import {
  addDecimals,
  checkParsed,
  checkRow,
  compareDecimals,
  type Decimal,
  decimalOf,
  decimalText,
  divideDecimal,
  requireOnce,
} from './table.ts';
import { readText } from '../../../core/texts/read-text.ts';
import type { CsvJob } from '../job.ts';

const CALL = /^(?<name>count|sum|avg|min|max|distinct)\((?<column>.*)\)$/su;
const MAX_GROUPS = 100_000;
const MAX_DISTINCT = 1_000_000;
/** How many digits of a number its binary form preserves. */
const SHOWN_DIGITS = 15;

/** Collects what becomes of one column in one group. */
interface Tally {
  count: number;
  numbers: number;
  sum: Decimal;
  least: Decimal;
  greatest: Decimal;
  readonly distinct: Set<string>;
}

interface Aggregate {
  readonly name: string;
  readonly call: string;
  readonly column: string;
}

/** Groups rows by columns, and calculates over each group; without columns over all rows. */
class RowGroups {
  readonly #groupBy: readonly string[];
  readonly #aggregates: readonly Aggregate[];
  readonly #cellOf: CellOf;
  readonly #groups = new Map<string, { readonly key: readonly string[]; readonly tallies: readonly Tally[] }>();
  #distinct = 0;

  constructor(groupBy: readonly string[], aggregate: Readonly<Record<string, string>>, cellOf: CellOf) {
    this.#groupBy = groupBy;
    this.#aggregates = Object.entries(aggregate).map(([name, text]) => parseCall(name, text));
    this.#cellOf = cellOf;
    // Over no rows at all there is a result too.
    if (groupBy.length === 0) this.#groupOf([]);
  }

  get columns(): string[] {
    return [...this.#groupBy, ...this.#aggregates.map(({ name }) => name)];
  }

  add(row: readonly string[]): void {
    const { tallies } = this.#groupOf(this.#groupBy.map((column) => this.#cellOf(row, column)));
    for (const [index, { call, column }] of this.#aggregates.entries()) {
      const tally = tallies[index];
      if (tally !== undefined) this.#count(tally, call, column === '' ? undefined : this.#cellOf(row, column));
    }
  }

  /** Yields the rows of the groups, in the order of their values. */
  *rows(): Generator<string[], void, undefined> {
    const groups = [...this.#groups.values()].toSorted((a, b) => compareKeys(a.key, b.key));
    for (const { key, tallies } of groups)
      yield [...key, ...this.#aggregates.map(({ call }, index) => resultOf(call, tallies[index]))];
  }

  #groupOf(key: readonly string[]) {
    const id = JSON.stringify(key);
    const known = this.#groups.get(id);
    if (known !== undefined) return known;
    if (this.#groups.size >= MAX_GROUPS) throw new Error(`There are more than ${MAX_GROUPS} groups`);
    const group = { key, tallies: this.#aggregates.map(newTally) };
    this.#groups.set(id, group);
    return group;
  }

  #count(tally: Tally, call: string, cell: string | undefined): void {
    // Empty cells count for nothing, as in a spreadsheet.
    if (cell?.trim() === '') return;
    tally.count += 1;
    if (cell === undefined || call === 'count') return;
    if (call === 'distinct') return this.#note(tally, cell);
    const number = decimalOf(cell);
    if (number === undefined) throw new Error(`${call} needs numbers, and a cell contains "${cell.slice(0, 60)}"`);
    addNumber(tally, number);
  }

  #note({ distinct }: Tally, cell: string): void {
    if (distinct.has(cell)) return;
    this.#distinct += 1;
    if (this.#distinct > MAX_DISTINCT) throw new Error(`distinct counts at most ${MAX_DISTINCT} values`);
    distinct.add(cell);
  }
}

function addNumber(tally: Tally, number: Decimal): void {
  const isFirst = tally.numbers === 0;
  if (isFirst || compareDecimals(number, tally.least) < 0) tally.least = number;
  if (isFirst || compareDecimals(number, tally.greatest) > 0) tally.greatest = number;
  tally.numbers += 1;
  tally.sum = addDecimals(tally.sum, number);
}

function parseCall(name: string, text: string): Aggregate {
  const { name: call, column } = CALL.exec(text.trim())?.groups ?? {};
  if (call === undefined || column === undefined || (column === '' && call !== 'count'))
    throw new Error(`aggregate must contain calls such as sum(price), avg, min, max, count() or distinct; not ${text}`);
  return { name, call, column };
}

function newTally(): Tally {
  const zero = { units: 0n, decimals: 0 };
  return { count: 0, numbers: 0, sum: zero, least: zero, greatest: zero, distinct: new Set() };
}

function resultOf(call: string, tally = newTally()): string {
  if (call === 'count') return String(tally.count);
  if (call === 'distinct') return String(tally.distinct.size);
  const { numbers, sum } = tally;
  if (call === 'sum') return decimalText(sum);
  if (numbers === 0) return '';
  if (call !== 'avg') return decimalText(call === 'min' ? tally.least : tally.greatest);
  const mean = Number(decimalText(sum)) / numbers;
  const isLong = Math.abs(mean) >= 10 ** SHOWN_DIGITS;
  return isLong ? decimalText(divideDecimal(sum, numbers)) : inDecimals(mean);
}

// Without the remainders of binary fractions, such as 0.30000000000000004.
function inDecimals(number: number): string {
  return String(Number(number.toPrecision(SHOWN_DIGITS)));
}

function compareKeys(left: readonly string[], right: readonly string[]): number {
  for (const [index, cell] of left.entries()) {
    const other = right[index] ?? '';
    const order = compareCells(cell, other);
    if (order !== 0) return order;
  }
  return 0;
}

/** Returns the text of a row's cell in a column. */
type CellOf = (row: readonly string[], column: string) => string;

/** Returns whether a cell fits a condition. */
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

/** Creates a row filter from `where`: by column a value, or operators with their operands. All must match. */
function rowFilter(where: Readonly<Record<string, unknown>>, cellOf: CellOf) {
  const conditions = Object.entries(where).flatMap(([column, wanted]) =>
    conditionsOf(wanted).map((isMet) => ({ column, isMet })),
  );
  return (row: readonly string[]) => conditions.every(({ column, isMet }) => isMet(cellOf(row, column)));
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
function compareCells(one: string, other: string): number {
  const [left, right] = [decimalOf(one), decimalOf(other)];
  if (left === undefined || right === undefined) return one < other ? -1 : Number(one > other);
  return compareDecimals(left, right);
}

// A text is compared as text: 10 is neither 010 nor 1e1. Blanks around it are ignored: many tables have them behind
// delimiters.
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

const MAX_COLUMNS = 2_000;
/** Text that a spreadsheet would run as a formula; numbers with a sign are none. */
const FORMULA = /^(?:[=@\t\r]|[+-](?!(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$))/i;

/** The result for a table. */
interface CsvResult {
  readonly csv: string;
  /** The number of rows in the table and in the result, and how many of those `csv` contains. */
  readonly read: number;
  readonly rows: number;
  readonly shown: number;
}

/** Filters, selects and groups the rows of a table, whose first row names the columns. */
export function processCsv(job: CsvJob): CsvResult {
  let work: TableWork | undefined;
  let row = 0;
  // Row by row, so that a large table is never in memory as cells.
  Papa.parse<string[]>(decode(job.content), {
    skipEmptyLines: 'greedy',
    step: ({ data, errors }) => {
      row += 1;
      checkParsed(errors, row);
      if (work === undefined) work = new TableWork(data, job);
      else work.add(data);
    },
  });
  if (work === undefined) throw new Error('The table is empty: its first row must name the columns');
  return work.finish();
}

function decode(content: string): string {
  const text = readText(Buffer.from(content, 'base64')).text;
  if (text.includes('\u0000')) throw new Error('The table is not text');
  return text;
}

/** Processes the rows of one table. */
class TableWork {
  readonly #fits: (row: readonly string[]) => boolean;
  readonly #groups: RowGroups | undefined;
  readonly #pick: (row: readonly string[]) => readonly string[];
  readonly #writer: RowWriter;
  readonly #columns: number;
  #read = 0;

  constructor(names: readonly string[], job: CsvJob) {
    if (names.length > MAX_COLUMNS) throw new Error(`The table has more than ${MAX_COLUMNS} columns`);
    const { select, groupBy, aggregate } = job;
    const header = names.map((name) => name.trim());
    this.#columns = header.length;
    const cellOf = cellsOf(header);
    this.#fits = rowFilter(job.where, cellOf);
    const isGrouped = groupBy.length > 0 || Object.keys(aggregate).length > 0;
    this.#groups = isGrouped ? new RowGroups(groupBy, aggregate, cellOf) : undefined;
    const columns = this.#groups?.columns ?? header;
    const resultCell = cellsOf(columns);
    this.#pick = select === undefined ? (row) => row : (row) => select.map((column) => resultCell(row, column));
    this.#writer = new RowWriter(job);
    this.#writer.add(this.#pick(columns));
  }

  add(row: readonly string[]): void {
    this.#read += 1;
    checkRow(row, this.#columns, this.#read + 1);
    if (!this.#fits(row)) return;
    if (this.#groups === undefined) this.#writer.add(this.#pick(row));
    else this.#groups.add(row);
  }

  finish(): CsvResult {
    for (const row of this.#groups?.rows() ?? []) this.#writer.add(this.#pick(row));
    return { ...this.#writer.finish(), read: this.#read };
  }
}

/** Writes rows up to the longest result. */
class RowWriter {
  readonly #lines: string[] = [];
  readonly #options: Papa.UnparseConfig;
  readonly #isFile: boolean;
  #room: number;
  #rows = -1;

  constructor({ fileDelimiter, maxCharacters }: CsvJob) {
    this.#isFile = fileDelimiter !== undefined;
    this.#options = { delimiter: fileDelimiter ?? ',', escapeFormulae: this.#isFile && FORMULA };
    this.#room = maxCharacters;
  }

  /** The first row that is added names the columns. */
  add(row: readonly string[]): void {
    this.#rows += 1;
    if (this.#room <= 0) return;
    const line = `${Papa.unparse([[...row]], this.#options)}\n`;
    this.#room -= line.length;
    if (this.#room >= 0) this.#lines.push(line);
  }

  finish(): Omit<CsvResult, 'read'> {
    const shown = Math.max(0, this.#lines.length - 1);
    if (this.#isFile && shown < this.#rows)
      throw new Error('The result is too large for a file; select fewer columns or rows');
    return { csv: this.#lines.join(''), rows: this.#rows, shown };
  }
}

function cellsOf(header: readonly string[]): CellOf {
  const indexes = new Map(header.map((name, index) => [name, index] as const).toReversed());
  return (row, column) => {
    const index = indexes.get(column);
    if (index === undefined)
      throw new Error(`There is no column ${column.slice(0, 100)}; there are ${header.join(', ').slice(0, 300)}`);
    requireOnce(header, column);
    return row[index] ?? '';
  };
}
