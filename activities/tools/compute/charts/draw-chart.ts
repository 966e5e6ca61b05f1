import { BarChart, LineChart, PieChart, RadarChart, ScatterChart } from 'echarts/charts';
import { GridComponent, LegendComponent, RadarComponent, TitleComponent } from 'echarts/components';
import { type EChartsCoreOption, init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import Papa from 'papaparse';
import { readText } from '../../../core/texts/read-text.ts';
import { checkParsed, checkRow, decimalOf, decimalText, requireOnce } from '../data/table.ts';
import { CJK } from '../fonts/cjk-fonts.ts';
import type { ChartData, ChartJob, ChartPoint } from '../job.ts';

use([BarChart, LineChart, PieChart, RadarChart, ScatterChart]);
use([GridComponent, LegendComponent, RadarComponent, TitleComponent, SVGRenderer]);

/** Draws a chart; returns it as SVG, or as PNG in base64. */
export async function drawChart(job: ChartJob): Promise<string> {
  const { width, height } = job;
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption(chartOption(job, chartData(job)));
    const svg = withoutCounters(chart.renderToSVGString());
    if (job.format === 'svg') return svg;
    const { renderPng } = await import('./render-png.ts');
    return renderPng(svg);
  } finally {
    chart.dispose();
  }
}

// The library counts the charts of the process in the names of styles, which are for pointing at a part, and of clips.
// The same chart gives the same picture without them.
function withoutCounters(svg: string): string {
  const [start, end] = [svg.lastIndexOf('<style '), svg.lastIndexOf('</style>')];
  const plain = start === -1 ? svg : svg.slice(0, start) + svg.slice(end + '</style>'.length);
  return plain
    .replaceAll(/ class="zr\d{1,9}-cls-\d{1,9}"/g, '')
    .replaceAll(/(?<start> id="| clip-path="url\(#)zr\d{1,9}-/g, '$<start>chart-');
}

const FONT = 'Arimo, Arial, Helvetica, sans-serif';
/** Widths that a text of the sizes below is likely to have for each narrow character, in pixels. */
const CHARACTER = 7;
const LEGEND_MARK = 45;
const LINE = 22;
const MAX_LABEL = 140;
const MAX_NAME = 200;
const TURNED = 40;

/** Makes the options of a chart: texts that would overlap are turned, shortened or left out. */
export function chartOption(job: ChartJob, data: ChartData): EChartsCoreOption {
  const common = {
    animation: false,
    backgroundColor: '#ffffff',
    textStyle: { fontFamily: FONT },
    color: COLORS,
  };
  const top = job.title === undefined ? 12 : 48;
  const title = job.title !== undefined && {
    title: { text: job.title, left: 'center', top: 12, textStyle: { width: job.width - 40, overflow: 'truncate' } },
  };
  const round = job.type === 'pie' ? pie(job, data, top) : job.type === 'radar' ? radar(job, data, top) : undefined;
  return { ...common, ...title, ...(round ?? withAxes(job, data, top)) };
}

/** Colours that are also distinct for people with colour blindness (Okabe and Ito). */
const COLORS = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#7f7f7f', '#b8a900'];

function withAxes(job: ChartJob, data: ChartData, top: number) {
  const { legend, height } = legendOf(job, data, top);
  const isScatter = job.type === 'scatter';
  const name = (text: string | undefined) =>
    text === undefined ? {} : { name: text, nameLocation: 'middle', nameTextStyle: { fontSize: 13 } };
  const xAxis = isScatter
    ? { type: 'value', scale: true, ...name(job.xTitle) }
    : {
        type: 'category',
        data: data.labels,
        axisLabel: labelsOf(job, data),
        axisTick: { show: false },
        ...name(job.xTitle),
        ...edges(job),
      };
  return {
    legend,
    grid: { left: 24, right: 32, top: top + height + 16, bottom: 24 },
    xAxis,
    yAxis: { type: 'value', scale: isScatter, ...name(job.yTitle) },
    series: data.series.map((series, index) => seriesOf(job, series, { points: data.labels.length, index })),
  };
}

// Lines begin at the axis, bars are between its marks.
function edges({ type }: ChartJob) {
  return type === 'bar' ? {} : { boundaryGap: false };
}

interface SeriesPosition {
  readonly points: number;
  readonly index: number;
}

function seriesOf(
  { type, isStacked }: ChartJob,
  { name, values }: ChartData['series'][number],
  { points, index }: SeriesPosition,
) {
  if (type === 'scatter') return { type, name, data: values, symbolSize: 8 };
  const stack = isStacked ? { stack: 'all' } : {};
  if (type === 'bar') return { type, name, data: values, barMaxWidth: 80, ...stack };
  const area = type === 'area' ? { areaStyle: { opacity: isStacked ? 0.8 : 0.3 } } : {};
  // Colours repeat.
  const lineStyle = { type: index < COLORS.length ? 'solid' : 'dashed' };
  return {
    type: 'line',
    name,
    data: values,
    lineStyle,
    showSymbol: points <= 40,
    symbolSize: 6,
    ...area,
    ...stack,
  };
}

function labelsOf({ width }: ChartJob, { labels }: ChartData) {
  const longest = labels.reduce((most, label) => Math.max(most, widthOf(label)), 0);
  const isTight = longest + 10 > (width - 100) / Math.max(1, labels.length);
  return { hideOverlap: true, width: MAX_LABEL, overflow: 'truncate', ...(isTight && { rotate: TURNED }) };
}

function widthOf(text: string): number {
  const wide = text.match(CJK)?.length ?? 0;
  return (text.length + wide) * CHARACTER;
}

function legendOf({ width }: ChartJob, { series }: ChartData, top: number) {
  if (series.length < 2) return { legend: { show: false }, height: 0 };
  let [lines, used] = [1, 0];
  for (const { name } of series) {
    const needed = Math.min(MAX_NAME, widthOf(name)) + LEGEND_MARK;
    if (used > 0 && used + needed > width - 60) [lines, used] = [lines + 1, 0];
    used += needed;
  }
  const textStyle = { width: MAX_NAME, overflow: 'truncate' };
  return {
    legend: { type: 'plain', top, left: 'center', width: width - 60, textStyle },
    height: lines * LINE,
  };
}

function pie({ height }: ChartJob, { labels, series: [first] }: ChartData, top: number) {
  const data = labels.map((name, index) => ({ name, value: first?.values[index] }));
  const label = { formatter: '{d}% {b}', width: MAX_LABEL * 1.3, overflow: 'truncate' };
  const center = ['50%', (height + top) / 2];
  return { series: [{ type: 'pie', name: first?.name, data, label, radius: '62%', center }] };
}

function radar(job: ChartJob, { labels, series }: ChartData, top: number) {
  const { legend, height } = legendOf(job, { labels, series }, top);
  const reach = Math.max(...series.flatMap(({ values }) => values.map((value) => Math.abs(Number(value)))), 0);
  const center = ['50%', (job.height + top + height) / 2];
  const axisName = { color: '#333', width: MAX_LABEL, overflow: 'truncate' };
  return {
    legend,
    radar: { indicator: labels.map((name) => ({ name, max: reach || 1 })), radius: '62%', center, axisName },
    series: [{ type: 'radar', data: series.map(({ name, values }) => ({ name, value: values })) }],
  };
}

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
  const columnIndex = (column: string) => {
    const found = names.indexOf(column);
    if (found === -1) throw new Error(`There is no column ${column}; there are ${names.join(', ')}`);
    requireOnce(names, column);
    return found;
  };
  const labelIndex = columnIndex(x);
  const labels = rows.map((row) => row[labelIndex] ?? '');
  const series = y.map((name) => {
    const valueIndex = columnIndex(name);
    const values = rows.map((row, line) => cellNumber(row[valueIndex] ?? '', name, line));
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
