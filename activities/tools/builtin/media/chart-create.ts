import { z } from 'zod';
import { CHART_TYPES } from '../../compute/job.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { filePath } from '../../workspace/workspace-path.ts';
import { type Computed, computeOverFile } from '../data/compute-over-file.ts';

const SIZE = { width: 800, height: 500 };
const label = z.string().max(200);
const pixels = z.int().min(200).max(2_000);

/** Draws charts. Repeated, it writes the same picture again. */
export const chartCreate = defineTool({
  key: 'chart_create',
  name: 'Create chart',
  description: 'Draws a chart as an SVG or PNG file of the workspace, of given `data` or of columns of a CSV file.',
  category: 'media',
  parameters: z.strictObject({
    type: z.enum(CHART_TYPES).describe('Type of the chart.'),
    output: z.string().min(1).max(1024).describe('Path of the picture, with `.svg` or `.png` at its end.'),
    data: z
      .strictObject({
        labels: z.array(label).max(10_000).optional().describe('Names along the x axis; a scatter chart has none.'),
        series: z
          .array(
            z.strictObject({
              name: label.describe('Name in the legend.'),
              values: z
                .array(z.union([z.number(), z.tuple([z.number(), z.number()]), z.null()]))
                .describe('A number for each label, or null; for scatter pairs [x, y].'),
            }),
          )
          .min(1)
          .max(20)
          .describe('What is drawn; one for pie.'),
      })
      .optional()
      .describe('The values.'),
    file: z.string().min(1).max(1024).optional().describe('Path of a CSV file instead, with the columns `x` and `y`.'),
    x: z.string().optional().describe('Column of the labels, or of the x values for scatter.'),
    y: z.array(z.string()).min(1).max(20).optional().describe('Columns of the series.'),
    title: label.optional().describe('Title above it.'),
    x_title: label.optional().describe('Title of the x axis.'),
    y_title: label.optional().describe('Title of the y axis.'),
    stacked: z.boolean().optional().describe('Whether series are stacked; false when left out.'),
    width: pixels.optional().describe('In pixels; 800 when left out.'),
    height: pixels.optional().describe('In pixels; 500 when left out.'),
  }),
  effect: 'keyed',
  timeoutSeconds: 60,
  label: ({ output }) => `Drawing ${output}`,
  run: async ({ type, output, data, file, x, y, title, stacked = false, ...given }, context) => {
    const target = filePath(output);
    const format = formatOf(output);
    const job = {
      kind: 'chart' as const,
      type,
      x,
      y,
      title,
      xTitle: given.x_title,
      yTitle: given.y_title,
      isStacked: stacked,
      format,
      width: given.width ?? SIZE.width,
      height: given.height ?? SIZE.height,
    };
    return context.runLargeWork(async () => {
      const draw = async (): Promise<Computed> => {
        if (file === undefined && data !== undefined)
          return {
            json: await context.compute({ ...job, data: { labels: data.labels ?? [], series: data.series } }),
            isForeign: false,
          };
        if (file !== undefined && data === undefined && x !== undefined && y !== undefined)
          return computeOverFile(file, context, (content) => ({ ...job, content }));
        throw new ToolFailure('invalid_input', 'Give either data, or file with x and y');
      };
      const { json, isForeign, notice } = await draw();
      const bytes = Buffer.from(z.string().parse(JSON.parse(json)), format === 'png' ? 'base64' : 'utf8');
      const options = { overwrite: true, createFolders: true, isForeign: isForeign || context.hasForeignText };
      await context.workspace.write(target, bytes, options);
      return { value: { output, bytes: bytes.length }, notice };
    });
  },
});

function formatOf(output: string): 'svg' | 'png' {
  const end = /\.(svg|png)$/i.exec(output)?.[1]?.toLowerCase();
  if (end === 'svg' || end === 'png') return end;
  throw new ToolFailure('invalid_input', 'The name of the picture must end with .svg or .png');
}
