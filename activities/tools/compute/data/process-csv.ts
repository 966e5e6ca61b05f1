import Papa from 'papaparse';
import { readText } from '../../../core/texts/read-text.ts';
import type { CsvJob } from '../job.ts';
import { checkParsed, checkRow, requireOnce } from './table.ts';
import { type CellOf, rowFilter, RowGroups } from './row-groups.ts';

const MAX_COLUMNS = 2_000;
/** What a spreadsheet takes for a formula; numbers with a sign are none. */
const FORMULA = /^(?:[=@\t\r]|[+-](?!(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$))/i;

/** What became of a table. */
export interface CsvResult {
  readonly csv: string;
  /** Rows of the table, of the result, and of those how many `csv` holds. */
  readonly read: number;
  readonly rows: number;
  readonly shown: number;
}

/** Filters, selects and groups the rows of a table, whose first row names the columns. */
export function processCsv(job: CsvJob): CsvResult {
  let work: TableWork | undefined;
  // Row by row, so that a large table is never held as cells.
  Papa.parse<string[]>(decode(job.content), {
    skipEmptyLines: 'greedy',
    step: ({ data, errors }) => {
      checkParsed(errors);
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

/** What is done with the rows of one table. */
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
  const places = new Map(header.map((name, place) => [name, place] as const).toReversed());
  return (row, column) => {
    const place = places.get(column);
    if (place === undefined)
      throw new Error(`There is no column ${column.slice(0, 100)}; there are ${header.join(', ').slice(0, 300)}`);
    requireOnce(header, column);
    return row[place] ?? '';
  };
}
