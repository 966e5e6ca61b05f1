import { BarChart, LineChart, PieChart, RadarChart, ScatterChart } from 'echarts/charts';
import { GridComponent, LegendComponent, RadarComponent, TitleComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { ChartJob } from '../job.ts';
import { chartData } from './chart-data.ts';
import { chartOption } from './chart-option.ts';

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
