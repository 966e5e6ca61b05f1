import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import { filePath } from '../../workspace/workspace-path.ts';
import { chartCreate } from './chart-create.ts';

let tools: TestTools;
beforeEach(async () => {
  tools = await createTestTools();
});
afterEach(() => tools.close());

const run = async (args: object) => prepareCall(chartCreate, { ...args }).run(tools.context);
const bytesOf = async (path: string) => tools.context.workspace.read(filePath(path), 1e8);

async function svgOf(args: object): Promise<string> {
  await run({ output: 'chart.svg', ...args });
  return (await bytesOf('chart.svg')).toString();
}

const data = { labels: ['Jan', 'Feb', 'Mar'], series: [{ name: 'Sales', values: [1, 20, 300] }] };
const pairs = [
  [1, 2],
  [3, 4],
];

describe('chart_create', () => {
  test.each(['line', 'bar', 'area', 'pie', 'radar'])('draws a %s chart with its texts', async (type) => {
    const svg = await svgOf({ type, data, title: 'Sales of <b>2026</b> & "more"' });
    expect(svg).toMatch(/^<svg [^>]*width="800" height="500"/);
    expect(svg).toContain('Sales of &lt;b&gt;2026&lt;/b&gt; &amp; ');
    for (const label of data.labels) expect(svg).toMatch(new RegExp(`>(?:[\\d.]+% )?${label}<`));
    expect(svg).not.toMatch(/<script|href=|url\(http/);
  });

  test('draws points, with the titles of the axes and a legend', async () => {
    const series = [
      { name: 'First', values: pairs },
      { name: 'Second', values: pairs },
    ];
    const svg = await svgOf({ type: 'scatter', data: { series }, x_title: 'Height', y_title: 'Weight' });
    for (const text of ['First', 'Second', 'Height', 'Weight']) expect(svg).toContain(`>${text}<`);
  });

  test('turns labels that would overlap, also those of wide characters', async () => {
    const labels = [
      '一月份的销售额',
      '二月份的销售额',
      '三月份的销售额',
      '四月份的销售额',
      '五月份的销售额',
      '六月份的销售额',
    ];
    const series = [{ name: 'Sales', values: [1, 2, 3, 4, 5, 6] }];
    const svg = await svgOf({ type: 'bar', data: { labels, series }, width: 500, height: 400 });
    for (const label of labels) expect(svg).toContain(`>${label}<`);
  });

  test('writes PNG with letters, twice as large for sharp screens', async () => {
    await run({ type: 'bar', data, output: 'a/chart.png', width: 400, height: 300 });
    const png = await bytesOf('a/chart.png');
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([800, 600]);
    const without = { labels: ['', '', ''], series: data.series };
    await run({ type: 'bar', data: without, output: 'b.png', width: 400, height: 300 });
    expect((await bytesOf('b.png')).equals(png)).toBe(false);
  });

  test.each([
    ['Chinese', ['一月', '二月', '三月'], ['九月', '八月', '七月']],
    ['Japanese', ['きょう', 'あした', 'きのう'], ['さくら', 'もみじ', 'つばき']],
    ['Korean', ['서울', '부산', '대구'], ['봄비', '여름', '가을']],
  ])('writes PNG with %s letters', async (_language, labels, others) => {
    const pictures = [];
    for (const [at, each] of [labels, others].entries()) {
      await run({
        type: 'bar',
        data: { labels: each, series: data.series },
        output: `${at}.png`,
        width: 400,
        height: 300,
      });
      pictures.push(await bytesOf(`${at}.png`));
    }
    // Boxes in place of letters would look alike.
    expect(pictures[0]?.equals(pictures[1] ?? Buffer.of())).toBe(false);
  });

  test.each(['line', 'bar', 'area', 'pie', 'radar'])(
    'writes the same %s chart again when it is repeated',
    async (type) => {
      const labels = [...data.labels, 'Apr'];
      const series = ['a', 'b'].slice(type === 'pie' ? 1 : 0).map((name) => ({ name, values: [1, 2, 3, 4] }));
      const first = await svgOf({ type, data: { labels, series } });
      expect(await svgOf({ type, data: { labels, series } })).toBe(first);
    },
  );

  test('reads columns of a table, and marks what comes from outside', async () => {
    const options = { overwrite: true, createFolders: true, isForeign: true };
    const csv = '\uFEFFmonth;price;count\nJan;1.5;2\nFeb;;4\n';
    await tools.context.workspace.write(filePath('a.csv'), Buffer.from(csv), options);
    const svg = await svgOf({ type: 'line', file: 'a.csv', x: 'month', y: ['price', 'count'] });
    for (const text of ['Jan', 'Feb', 'price', 'count']) expect(svg).toContain(`>${text}<`);
    expect(await tools.context.workspace.isForeign(filePath('chart.svg'))).toBe(true);
    await run({ type: 'scatter', file: 'a.csv', x: 'count', y: ['price'], output: 'b.svg' });
    const failed = run({ type: 'bar', file: 'a.csv', x: 'month', y: ['none'], output: 'c.svg' });
    await expect(failed).rejects.toMatchObject({ message: expect.stringContaining('no column none'), isForeign: true });
  });

  test('turns labels that would overlap, and keeps many series apart from the drawing', async () => {
    const labels = Array.from({ length: 30 }, (_, index) => `A rather long name ${index}`);
    const series = Array.from({ length: 20 }, (_, index) => ({
      name: `Series number ${index}`,
      values: labels.map(() => 1),
    }));
    const svg = await svgOf({ type: 'bar', data: { labels, series } });
    expect(svg).toMatch(/rotate\(-40|matrix\(0\.76/);
  });

  const points = Array.from({ length: 10_001 }, () => 1);
  test.each([
    [{ type: 'bar', data, output: 'a.gif' }, '.svg or .png'],
    [{ type: 'bar', output: 'a.svg' }, 'Give either data, or file'],
    [{ type: 'bar', data, output: '../a.svg' }, 'The path must'],
    [
      { type: 'bar', data: { labels: ['a'], series: [{ name: 's', values: [1, 2] }] } },
      's has 2 values, but there are 1',
    ],
    [{ type: 'bar', data: { labels: ['a', 'b'], series: [{ name: 's', values: pairs }] } }, 'must be numbers'],
    [{ type: 'scatter', data }, 'must be pairs [x, y]'],
    [{ type: 'pie', data: { labels: ['a'], series: [{ name: 's', values: [-1] }] } }, 'no negative values'],
    [{ type: 'bar', data: { series: [{ name: 's', values: [] }] } }, 'nothing to draw'],
    [{ type: 'bar', data: { series: [{ name: 's', values: points }] } }, 'at most 10000 values'],
  ])('says what is wrong, %#', async (args, issue) => {
    await expect(run({ output: 'a.svg', ...args })).rejects.toThrow(issue);
  });
});
