import { makeZip } from './make-zip.ts';

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE_RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPES = 'http://schemas.openxmlformats.org/package/2006/content-types';

function contentTypes(part: string, type: string, more = ''): string {
  return `${XML}<Types xmlns="${TYPES}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/${part}" ContentType="${type}"/>${more}</Types>`;
}

function rootRelations(target: string): string {
  return `${XML}<Relationships xmlns="${RELATIONS}"><Relationship Id="rId1" Type="${OFFICE_RELATIONS}/officeDocument" Target="${target}"/></Relationships>`;
}

/** Makes a Word document of paragraphs and one table; `xml` replaces its main part. */
export function makeDocx(
  paragraphs: readonly string[],
  table: readonly (readonly string[])[] = [],
  xml?: string,
): Buffer {
  const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
  const rows = table.map((row) => `<w:tr>${row.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('')}</w:tr>`);
  const body = paragraphs.map(paragraph).join('') + (rows.length > 0 ? `<w:tbl>${rows.join('')}</w:tbl>` : '');
  const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
  return makeZip({
    '[Content_Types].xml': contentTypes('word/document.xml', type),
    '_rels/.rels': rootRelations('word/document.xml'),
    'word/document.xml':
      xml ??
      `${XML}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
  });
}

/** A cell as its XML has it; `format` is the number format that shows it, and `at` a reference of its own. */
export interface RawCell {
  readonly value: string;
  readonly type?: 'e' | 'str' | 's' | 'b' | 'd';
  readonly format?: string;
  readonly formula?: string;
  readonly at?: string;
}

/** Makes a workbook of one sheet; numbers stay numbers, and texts are written in their cells. */
export function makeXlsx(sheet: string, rows: readonly (readonly (string | number | RawCell)[])[]): Buffer {
  const formats: string[] = [];
  const cell = (value: string | number | RawCell, column: number, row: number) => {
    const at = `${String.fromCodePoint(65 + column)}${row + 1}`;
    if (typeof value === 'number') return `<c r="${at}"><v>${value}</v></c>`;
    if (typeof value === 'string') return `<c r="${at}" t="inlineStr"><is><t>${value}</t></is></c>`;
    const style = value.format === undefined ? '' : ` s="${formats.push(value.format)}"`;
    const formula = value.formula === undefined ? '' : `<f>${value.formula}</f>`;
    return `<c r="${value.at ?? at}"${style}${value.type === undefined ? '' : ` t="${value.type}"`}>${formula}<v>${value.value}</v></c>`;
  };
  const data = rows
    .map((row, at) => `<row r="${at + 1}">${row.map((value, column) => cell(value, column, at)).join('')}</row>`)
    .join('');
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml';
  const stylesType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml';
  const numberFormats = formats.map((code, at) => `<numFmt numFmtId="${200 + at}" formatCode="${escaped(code)}"/>`);
  const styles = ['<xf numFmtId="0"/>', ...formats.map((_, at) => `<xf numFmtId="${200 + at}"/>`)];
  return makeZip({
    '[Content_Types].xml': contentTypes(
      'xl/workbook.xml',
      type,
      `<Override PartName="/xl/styles.xml" ContentType="${stylesType}"/>`,
    ),
    '_rels/.rels': rootRelations('xl/workbook.xml'),
    'xl/workbook.xml': `${XML}<workbook xmlns="${main}" xmlns:r="${OFFICE_RELATIONS}"><sheets><sheet name="${sheet}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${XML}<Relationships xmlns="${RELATIONS}"><Relationship Id="rId1" Type="${OFFICE_RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${OFFICE_RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': `${XML}<styleSheet xmlns="${main}"><numFmts>${numberFormats.join('')}</numFmts><cellXfs>${styles.join('')}</cellXfs></styleSheet>`,
    'xl/worksheets/sheet1.xml': `${XML}<worksheet xmlns="${main}"><sheetData>${data}</sheetData></worksheet>`,
  });
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}
