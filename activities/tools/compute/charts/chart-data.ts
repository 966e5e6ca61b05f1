import Papa from 'papaparse';
import { readText } from '../../../core/texts/read-text.ts';
import { checkParsed, checkRow, requireOnce } from '../data/check-table.ts';
import { decimalOf, decimalText } from '../data/decimal.ts';
import type { ChartData, ChartJob, ChartPoint } from '../job.ts';

const MAX_POINTS = 10_000;
const MAX_SERIES = 20;
const MAX_SLICES = 30;

/** Returns what a chart shows, given or read from a table. Throws what is wrong with it. */
export function chartData(job: ChartJob): ChartData {
  const data = job.data ?? tableData(job);
  const { type } = job;
  const points = data.series.reduce((sum, { values }) => sum + values.length, 0);
  if (points === 0) throw new Error('There is nothing to draw: the series have no values');
  if (data.series.length > MAX_SERIES) throw new Error(`A chart has at most ${MAX_SERIES} series`);
  if (points > MAX_POINTS) throw new Error(`A chart has at most ${MAX_POINTS} values; group them first`);
  for (const { name, values } of data.series) checkSeries(type, name, values, data.labels.length);
  if (type === 'pie') checkPie(data);
  return data;
}

function checkSeries(type: ChartJob['type'], name: string, values: readonly ChartPoint[], labels: number): void {
  const wanted = type === 'scatter' ? 'pairs [x, y]' : 'numbers';
  if (values.some((value) => Array.isArray(value) !== (type === 'scatter') && value !== null))
    throw new Error(`The values of ${name} must be ${wanted} for a ${type} chart`);
  if (type !== 'scatter' && values.length !== labels)
    throw new Error(`${name} has ${values.length} values, but there are ${labels} labels`);
}

function checkPie({ labels, series }: ChartData): void {
  if (series.length > 1) throw new Error('A pie chart has one series; take a bar chart for more');
  if (labels.length > MAX_SLICES) throw new Error(`A pie chart has at most ${MAX_SLICES} slices; take a bar chart`);
  if (series[0]?.values.some((value) => Number(value) < 0) === true)
    throw new Error('A pie chart shows no negative values');
}

function tableData({ content = '', x = '', y = [], type }: ChartJob): ChartData {
  const text = readText(Buffer.from(content, 'base64')).text;
  const { data, errors } = Papa.parse<string[]>(text, { skipEmptyLines: 'greedy', preview: MAX_POINTS + 2 });
  checkParsed(errors);
  const [header = [], ...rows] = data;
  for (const [index, row] of rows.entries()) checkRow(row, header.length, index + 2);
  const names = header.map((name) => name.replace(/^\uFEFF/, '').trim());
  const place = (column: string) => {
    const found = names.indexOf(column);
    if (found === -1) throw new Error(`There is no column ${column}; there are ${names.join(', ')}`);
    requireOnce(names, column);
    return found;
  };
  const labelPlace = place(x);
  const labels = rows.map((row) => row[labelPlace] ?? '');
  const series = y.map((name) => {
    const valuePlace = place(name);
    const values = rows.map((row, line) => cellNumber(row[valuePlace] ?? '', name, line));
    if (type !== 'scatter') return { name, values };
    const pairs = values.map((value, line): ChartPoint => {
      const at = cellNumber(labels[line] ?? '', x, line);
      return at === null || value === null ? null : [at, value];
    });
    return { name, values: pairs.filter((pair) => pair !== null) };
  });
  return { labels: type === 'scatter' ? [] : labels, series };
}

function cellNumber(cell: string, column: string, line: number): number | null {
  if (cell.trim() === '') return null;
  const decimal = decimalOf(cell);
  const number = decimal === undefined ? Number.NaN : Number(decimalText(decimal));
  if (Number.isFinite(number)) return number;
  throw new Error(`Row ${line + 1} of ${column} is no number: ${JSON.stringify(cell.slice(0, 50))}`);
}
