import type { Routes } from './google-routes.ts';

const SHEET = '/v4/spreadsheets/*';

/** The cells of one sheet as the Sheets API has them; every range is all of it. */
export class GoogleSheet {
  cells: unknown[][] = [];
  readonly routes: Routes = {
    [`GET ${SHEET}`]: ({ parts: [id] }) => ({
      spreadsheetId: id,
      sheets: [{ properties: { sheetId: 0, title: 'Orders' } }],
    }),
    [`GET ${SHEET}/values/*`]: ({ parts: [, range] }) => ({ range, majorDimension: 'ROWS', values: this.cells }),
    [`PUT ${SHEET}/values/*`]: ({ parts: [id, range], json, query }) => {
      this.cells = typed(json['values'], query);
      return { spreadsheetId: id, updatedRange: range, updatedRows: this.cells.length };
    },
    [`POST ${SHEET}/values/*:append`]: ({ parts: [id, range], json, query }) => {
      this.cells.push(...typed(json['values'], query));
      return { spreadsheetId: id, tableRange: range, updates: { updatedRows: this.cells.length } };
    },
    [`POST ${SHEET}/values/*:clear`]: ({ parts: [id, range] }) => {
      this.cells = [];
      return { spreadsheetId: id, clearedRange: range };
    },
    'POST /v4/spreadsheets': ({ json }) => ({ spreadsheetId: 'made', properties: json['properties'] }),
  };
}

function typed(values: unknown, query: URLSearchParams): unknown[][] {
  const isEntered = query.get('valueInputOption') === 'USER_ENTERED';
  return (values as unknown[][]).map((row) =>
    row.map((cell) => (isEntered && typeof cell === 'string' && cell.startsWith('=') ? { formula: cell } : cell)),
  );
}
