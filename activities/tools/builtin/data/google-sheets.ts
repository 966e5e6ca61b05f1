import { z } from 'zod';
import { actionsWith, defineServiceTool, pathOf } from '../services/service-tool.ts';

const MAX_ROWS = 5_000;
const MAX_COLUMNS = 500;

const parameters = z.strictObject({
  spreadsheet_id: z
    .string()
    .regex(/^[\w-]{1,128}$/)
    .optional()
    .describe('From the address of the spreadsheet.'),
  range: z
    .string()
    .min(1)
    .max(300)
    // It is a part of the path.
    .regex(/^(?!\.{1,2}$)[^/\\]+$/, 'must be a range without slashes')
    .optional()
    .describe('In A1 notation, such as `Orders!A2:D` or `Orders`.'),
  values: z
    .array(z.array(z.union([z.string().max(50_000), z.number(), z.boolean(), z.null()])).max(MAX_COLUMNS))
    .min(1)
    .max(MAX_ROWS)
    .optional()
    .describe('Rows of cells; null leaves a cell as it is.'),
  parse: z
    .boolean()
    .optional()
    .describe('Whether texts become formulas, dates and numbers as if typed in; they stay texts when left out.'),
  formulas: z.boolean().optional().describe('In read: shows formulas instead of what they yield.'),
  title: z.string().min(1).max(400).optional().describe('In create.'),
});

type Arguments = z.output<typeof parameters>;
const { keyed, once, read } = actionsWith<Arguments>();
const SHEETS =
  'spreadsheetId,spreadsheetUrl,properties(title,locale,timeZone),sheets.properties(sheetId,title,gridProperties)';

const ACTIONS = {
  read: read(['spreadsheet_id', 'range'], async (args, { service }) => {
    const query = { valueRenderOption: args.formulas === true ? 'FORMULA' : 'FORMATTED_VALUE' };
    return service.pick({ path: valuesOf(args), query }, 'range values');
  }),
  // Rows have no ids: a repetition adds them again.
  append: once(['spreadsheet_id', 'range', 'values'], async (args, { service }) => {
    const query = { ...inputOf(args), insertDataOption: 'INSERT_ROWS' };
    const path = `${valuesOf(args)}:append`;
    const json = { values: args.values };
    return service.pick({ method: 'POST', path, query, json }, 'tableRange updates');
  }),
  update: keyed(['spreadsheet_id', 'range', 'values'], async (args, { service }) => {
    const json = { values: args.values };
    const request = { method: 'PUT', path: valuesOf(args), query: inputOf(args), json } as const;
    return service.pick(request, 'updatedRange updatedRows updatedCells');
  }),
  clear: keyed(['spreadsheet_id', 'range'], async (args, { service }) => {
    const request = { method: 'POST', path: `${valuesOf(args)}:clear`, json: {} } as const;
    return service.pick(request, 'clearedRange');
  }),
  create: once(['title'], async ({ title }, { service }) => {
    const request = { method: 'POST', path: '/spreadsheets', query: { fields: SHEETS } } as const;
    return (await service.request({ ...request, json: { properties: { title } } })).json();
  }),
  list_sheets: read(['spreadsheet_id'], async (args, { service }) => {
    const path = pathOf`/spreadsheets/${args.spreadsheet_id}`;
    return (await service.request({ path, query: { fields: SHEETS } })).json();
  }),
};

/** Reads and writes spreadsheets of Google. What is written stays text, unless it is to be taken as if typed in. */
export const googleSheets = defineServiceTool({
  key: 'google_sheets',
  name: 'Google Sheets',
  description:
    'Reads, appends, overwrites and clears ranges of Google spreadsheets, lists their sheets, and creates spreadsheets.',
  category: 'data',
  kinds: ['google_sheets'],
  parameters,
  actions: ACTIONS,
});

function valuesOf({ spreadsheet_id: id = '', range = '' }: Arguments): string {
  return pathOf`/spreadsheets/${id}/values/${range}`;
}

function inputOf({ parse }: Arguments) {
  return { valueInputOption: parse === true ? 'USER_ENTERED' : 'RAW' };
}
