import { sheets as officialClient } from '@googleapis/sheets';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { GoogleSheet } from '../../../../test/support/services/google-sheet.ts';
import { type GoogleTool, startGoogleTool } from '../../../../test/support/services/google-tools.ts';
import type { ToolArguments } from '../../tool.ts';
import { googleSheets } from './google-sheets.ts';

const sheet = new GoogleSheet();
let google: GoogleTool;
beforeAll(async () => {
  google = await startGoogleTool('google_sheets', sheet.routes);
});
afterAll(async () => google.close());
beforeEach(() => {
  google.server.seen.length = 0;
  sheet.cells = [];
});

const cells = { spreadsheet_id: 'sheet-1', range: "Orders 'n more!A1:B" };

describe('google_sheets', () => {
  test('writes texts as they are by default, which the official client reads', async () => {
    const { spreadsheets } = officialClient({ version: 'v4', ...google.server.clientOptions });
    const read = async () =>
      (await spreadsheets.values.get({ spreadsheetId: 'sheet-1', range: cells.range })).data.values;
    await google.use({ action: 'update', ...cells, values: [['=1+1', 2, true]] });
    expect(await read()).toEqual([['=1+1', 2, true]]);
    await google.use({ action: 'append', ...cells, values: [['=2+2']], parse: true });
    expect(await read()).toEqual([['=1+1', 2, true], [{ formula: '=2+2' }]]);
    expect(google.server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(
      expect.arrayContaining([
        "PUT /v4/spreadsheets/sheet-1/values/Orders%20'n%20more!A1%3AB?valueInputOption=RAW",
        "POST /v4/spreadsheets/sheet-1/values/Orders%20'n%20more!A1%3AB:append?valueInputOption=USER_ENTERED&insertDataOption=INSERT_ROWS",
      ]),
    );
  });

  test('reads what the official client has written, and clears it', async () => {
    const { spreadsheets } = officialClient({ version: 'v4', ...google.server.clientOptions });
    await spreadsheets.values.update({
      spreadsheetId: 'sheet-1',
      range: 'A1',
      valueInputOption: 'RAW',
      requestBody: { values: [['a', 'b']] },
    });
    expect(await google.use({ action: 'read', ...cells })).toEqual({ range: cells.range, values: [['a', 'b']] });
    expect(await google.use({ action: 'clear', ...cells })).toEqual({ clearedRange: cells.range });
    expect(sheet.cells).toEqual([]);
  });

  test('creates spreadsheets, and lists their sheets', async () => {
    expect(await google.use({ action: 'create', title: 'Plan' })).toMatchObject({ properties: { title: 'Plan' } });
    expect(await google.use({ action: 'list_sheets', spreadsheet_id: 'sheet-1' })).toMatchObject({
      sheets: [{ properties: { title: 'Orders' } }],
    });
  });

  test.each([
    ['append', 'once'],
    ['create', 'once'],
    ['update', 'keyed'],
    ['clear', 'keyed'],
    ['read', 'read'],
  ])('may repeat %s as %s', (action, effect) => {
    expect(googleSheets.prepare({ action })).toMatchObject({ effect, approval: 'writes' });
  });

  test.each<ToolArguments>([
    { action: 'read', spreadsheet_id: '../x', range: 'A1' },
    { action: 'read', spreadsheet_id: 'x', range: '..' },
    { action: 'read', spreadsheet_id: 'x', range: '../../y' },
    { action: 'read', spreadsheet_id: 'x' },
    { action: 'update', ...cells, values: [] },
    { action: 'update', ...cells, values: [[{}]] },
  ])('sends nothing for %j', async (args) => {
    await expect(google.use(args)).rejects.toMatchObject({ kind: 'invalid_input' });
    expect(google.server.seen).toEqual([]);
  });
});
