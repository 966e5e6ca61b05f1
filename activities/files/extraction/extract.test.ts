import { describe, expect, test } from '@jest/globals';
import {
  makeDocx,
  makePdf,
  makePdfBomb,
  makeXlsx,
  makeZip,
  makeZipBomb,
} from '../../../test/support/documents/index.ts';
import { casesOf } from '../../../test/support/in-length.ts';
import { decode, extract } from './extract.ts';
import { MAX_TEXT } from './job.ts';

const OFFICE = 'application/vnd.openxmlformats-officedocument.';
const DOCX = `${OFFICE}wordprocessingml.document`;
const XLSX = `${OFFICE}spreadsheetml.sheet`;
const PDF = 'application/pdf';
const never = new AbortController().signal;

async function* inChunks(bytes: Buffer): AsyncGenerator<Buffer, void, undefined> {
  for (let start = 0; start < bytes.length; start += 65_536) yield bytes.subarray(start, start + 65_536);
}

async function read(mediaType: string, bytes: Buffer, signal = never) {
  return extract({ mediaType }, inChunks(bytes), signal);
}

describe('extract', () => {
  test.each([
    ['UTF-8', Buffer.from('Grüße, 世界'), false],
    ['UTF-8 with a byte order mark', Buffer.from('\uFEFFGrüße, 世界'), false],
    ['UTF-16, little-endian', Buffer.from('\uFEFFGrüße, 世界', 'utf16le'), true],
    ['UTF-16, big-endian', Buffer.from('\uFEFFGrüße, 世界', 'utf16le').swap16(), true],
  ])('reads a text in %s', async (_, bytes, isApart) => {
    expect(await decode({ mediaType: 'text/plain' }, inChunks(bytes))).toEqual({ text: 'Grüße, 世界', isApart });
  });

  test('says that a short text in no Unicode may be read wrongly', async () => {
    const text = 'Grüße\n[The text does not say its encoding. It was read as windows-1252; letters may be wrong.]';
    const bytes = Buffer.from('Gr\xFC\xDFe', 'latin1');
    expect(await decode({ mediaType: 'text/csv' }, inChunks(bytes))).toEqual({ text, isApart: true });
  });

  test.each([
    ['its meta element', 'text/html', undefined, '<meta charset="koi8-r"><p>'],
    ['its XML declaration', 'application/xml', undefined, '<?xml version="1.0" encoding="koi8-r"?><a>'],
    ['what its server has said', 'text/plain', 'text/plain; charset=koi8-r', ''],
  ])('reads a file in the encoding of %s', async (_what, mediaType, contentType, start) => {
    const bytes = Buffer.concat([Buffer.from(start), Buffer.from('f0d2c9d7c5d4', 'hex')]);
    const job = contentType === undefined ? { mediaType } : { mediaType, contentType };
    expect(await extract(job, inChunks(bytes), never)).toMatchObject({ text: expect.stringContaining('Привет') });
  });

  test('reads a page as a person does', async () => {
    const page =
      '<html><head><title>t</title><style>p{}</style></head><body><h1>Sales</h1><p>Up <a href="https://x.example">a lot</a></p>' +
      '<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table><script>steal()</script></body></html>';
    const text = 'Sales\n\nUp a lot\n\nA   B\n1   2';
    expect(await read('text/html', Buffer.from(page))).toEqual({ text, isApart: true });
  });

  test('reads the pages of a PDF', async () => {
    const text = '[Page 1]\nHello (world)\n\n[Page 2]\nGoodbye\n\n';
    expect(await read(PDF, makePdf(['Hello (world)', 'Goodbye']))).toEqual({ text, isApart: true });
  });

  test('reads paragraphs and tables of a Word document', async () => {
    const text = 'First\n\nSecond\n\na   b\nc   d';
    const table = [
      ['a', 'b'],
      ['c', 'd'],
    ];
    expect(await read(DOCX, makeDocx(['First', 'Second'], table))).toEqual({ text, isApart: true });
  });

  test('reads the cells of a workbook as CSV', async () => {
    const rows = [
      ['Region', 'Sum'],
      ['North, "East"', 12.5],
      [
        { value: '1.25', format: '[h]:mm' },
        { value: '#DIV/0!', type: 'e' as const },
      ],
    ];
    const text = '[Sheet Sales]\nRegion,Sum\n"North, ""East""",12.5\n30:00:00,#DIV/0!\n\n';
    expect(await read(XLSX, makeXlsx('Sales', rows))).toEqual({ text, isApart: true });
  });

  test('writes the empty rows between two of a workbook as one', async () => {
    const cells = ['A2', 'A3', 'A5', 'A1048576', 'A4000000000'].map((at, row) => ({ value: String(row), at }));
    expect(await read(XLSX, makeXlsx('S', [cells]))).toEqual({
      text: '[Sheet S]\n\n0\n1\n\n2\n\n3\n\n',
      isApart: true,
    });
  });

  test('reads a large workbook', async () => {
    const rows = Array.from({ length: 5_000 }, (_, at) => [at, `row ${at}`]);
    const result = await read(XLSX, makeXlsx('Log', rows));
    expect(result).toEqual({ text: expect.stringContaining('\n4999,row 4999\n'), isApart: true });
  });

  test.each(
    casesOf(
      [
        [PDF, makePdf(['']), 'The PDF contains no text; its pages may be images'],
        [DOCX, makeZip({ 'a.txt': 'x' }), 'The Word document is damaged'],
        [PDF, Buffer.from('%PDF-1.4 and nothing else'), 'The PDF is damaged'],
        [DOCX, makeDocx(['x']).subarray(0, 200), 'The file is damaged: it is no complete archive'],
        [XLSX, makeZip({ 'xl/workbook.xml': '<workbook' }), 'The workbook is damaged'],
        [
          DOCX,
          makeZip({ 'word/document.xml': { content: 'x', says: 300_000_000 } }),
          'The file unpacks to more than 200 MB',
        ],
      ],
      2,
    ),
  )('says why it reads no text: %s, %#', async (mediaType, bytes, issue) => {
    expect(await read(mediaType, bytes)).toEqual({ issue });
  });

  test('keeps the beginning of a text that is too long, and says so', async () => {
    const result = await read('text/plain', Buffer.alloc(MAX_TEXT + 10, 'x'));
    const text = 'text' in result ? result.text : '';
    expect(text.slice(0, MAX_TEXT + 1)).toBe(`${'x'.repeat(MAX_TEXT)}\n`);
    expect(text.slice(MAX_TEXT)).toContain('Only its first 2,000,000 characters are kept');
  });

  test('survives an archive that lies about its size', async () => {
    const result = await read(DOCX, makeZipBomb('word/document.xml'));
    expect(result).toMatchObject({ issue: expect.stringMatching(/damaged|memory/) });
  });

  test('survives a PDF whose page unpacks to very much', async () => {
    const result = await read(PDF, makePdfBomb());
    expect(result).toEqual({ issue: expect.stringContaining('memory'), hasCrashed: true });
  });

  test('ends at once when it is to stop', async () => {
    const stop = new AbortController();
    const endless = async function* endless(): AsyncGenerator<Buffer, void, undefined> {
      yield Buffer.from('x');
      stop.abort(new Error('stopped'));
      throw stop.signal.reason;
    };
    await expect(extract({ mediaType: 'text/plain' }, endless(), stop.signal)).rejects.toThrow('stopped');
  });
});
