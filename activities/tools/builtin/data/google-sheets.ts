import { z } from 'zod';
import { actionsWith, defineServiceTool, pathOf } from '../services/service-tool.ts';
import { requestFields } from '../services/read-answer.ts';

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
const action = actionsWith<Arguments>();
const SHEETS =
  'spreadsheetId,spreadsheetUrl,properties(title,locale,timeZone),sheets.properties(sheetId,title,gridProperties)';

const ACTIONS = {
  read: action({
    needs: ['spreadsheet_id', 'range'],
    effect: 'read',
    run: async (args, { service }) => {
      const query = { valueRenderOption: args.formulas === true ? 'FORMULA' : 'FORMATTED_VALUE' };
      return requestFields(service, { path: valuesOf(args), query, effect: 'read' }, ['range', 'values']);
    },
  }),
  append: action({
    needs: ['spreadsheet_id', 'range', 'values'],
    // Rows have no ids: a repetition adds them again.
    effect: 'once',
    run: async (args, { service }) => {
      const query = { ...inputOf(args), insertDataOption: 'INSERT_ROWS' };
      const path = `${valuesOf(args)}:append`;
      const json = { values: args.values };
      return requestFields(service, { method: 'POST', path, query, json, effect: 'once' }, ['tableRange', 'updates']);
    },
  }),
  update: action({
    needs: ['spreadsheet_id', 'range', 'values'],
    effect: 'keyed',
    run: async (args, { service }) => {
      const json = { values: args.values };
      const request = { method: 'PUT', path: valuesOf(args), query: inputOf(args), json, effect: 'keyed' } as const;
      return requestFields(service, request, ['updatedRange', 'updatedRows', 'updatedCells']);
    },
  }),
  clear: action({
    needs: ['spreadsheet_id', 'range'],
    effect: 'keyed',
    run: async (args, { service }) => {
      const request = { method: 'POST', path: `${valuesOf(args)}:clear`, json: {}, effect: 'keyed' } as const;
      return requestFields(service, request, ['clearedRange']);
    },
  }),
  create: action({
    needs: ['title'],
    effect: 'once',
    run: async ({ title }, { service }) => {
      const request = { method: 'POST', path: '/spreadsheets', query: { fields: SHEETS }, effect: 'once' } as const;
      return (await service.request({ ...request, json: { properties: { title } } })).json();
    },
  }),
  list_sheets: action({
    needs: ['spreadsheet_id'],
    effect: 'read',
    run: async (args, { service }) => {
      const path = pathOf`/spreadsheets/${args.spreadsheet_id}`;
      return (await service.request({ path, query: { fields: SHEETS }, effect: 'read' })).json();
    },
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
