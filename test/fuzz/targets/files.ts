import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Request } from 'express';
import fc from 'fast-check';
import { expect } from '@jest/globals';
import { extract } from '../../../activities/files/extraction/extract.ts';
import { MAX_TEXT } from '../../../activities/files/extraction/job.ts';
import { readHtml, readPlain } from '../../../activities/files/extraction/readers.ts';
import { InvalidRequest } from '../../../api/http/problem.ts';
import { receiveFile } from '../../../api/input/incoming-file.ts';
import { RefusedPush, readPushCommands } from '../../../activities/git-remotes/push-commands.ts';
import { listArchive, pack, RefusedArchive, unpack } from '../../../activities/tools/compute/archives.ts';
import { DefinitionFault, readArchive, readDefinitionFolder } from '../../../definition-files/index.ts';
import { AppError } from '../../../domain/core/app-error.ts';
import { MAX_DEFINITION_BYTES } from '../../../domain/definitions/files.ts';
import { makeDocx, makePdf, makeXlsx, makeZip } from '../../support/documents/index.ts';
import { inChunks, nearly } from '../inputs.ts';
import { type FuzzTarget, target } from '../target.ts';

const OFFICE = 'application/vnd.openxmlformats-officedocument.';
const DOCUMENTS: readonly (readonly [string, Buffer])[] = [
  ['application/pdf', makePdf(['Hello (world)', 'Goodbye'])],
  [`${OFFICE}wordprocessingml.document`, makeDocx(['First'], [['a', 'b']])],
  [`${OFFICE}spreadsheetml.sheet`, makeXlsx('One', [['a', 1]])],
];
const never = new AbortController().signal;

/** A file has a text or an issue in words, whatever its process did. */
const extracts = (mediaType: string) => async (chunks: readonly Buffer[]) => {
  const read = await extract({ mediaType }, Readable.from(chunks), never);
  const words = 'text' in read ? read.text : read.issue;
  expect(words.length).toBeLessThanOrEqual(MAX_TEXT + 200);
};

const PAGE =
  '<html><head><meta charset="koi8-r"><title>t</title></head><body><h1>S &amp; T</h1><table><tr><td>1</td></tr></table><!-- x --><script>f()</script></body></html>';
const ARCHIVE = makeZip({
  'my-skill/SKILL.md': '---\nname: a\ndescription: b\n---\nText',
  'my-skill/references/a.md': 'a',
});

/** An archive is read, or refused in words. */
const unpacks = async (bytes: Buffer) => {
  try {
    const { folder, files } = await readArchive(bytes);
    const size = [...files.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    expect(size).toBeLessThanOrEqual(MAX_DEFINITION_BYTES * 2);
    readDefinitionFolder('skill', folder, files);
  } catch (error) {
    if (!(error instanceof DefinitionFault)) throw error;
  }
};

const TAR = Buffer.from(
  await pack({
    kind: 'pack',
    format: 'tar',
    files: [{ path: 'a/ü.txt', content: Buffer.from('content').toString('base64'), modifiedAt: 0 }],
  }),
  'base64',
);

/** An archive that an agent opens is listed and unpacked, or refused in words. */
const opens = async (bytes: Buffer) => {
  const content = bytes.toString('base64');
  try {
    const entries = await listArchive({ kind: 'list_archive', content });
    const indexes = entries.map((_, index) => index);
    expect(await unpack({ kind: 'unpack', content, indexes })).toHaveLength(entries.length);
  } catch (error) {
    if (!(error instanceof RefusedArchive)) throw error;
  }
};

const UPDATE = { ref: 'refs/heads/main', from: 'a'.repeat(40), to: 'b'.repeat(40) };
const COMMAND = `${UPDATE.from} ${UPDATE.to} ${UPDATE.ref}\0 report-status agent=git/2.47`;
const PUSH = `${(COMMAND.length + 4).toString(16).padStart(4, '0')}${COMMAND}0000PACK`;

/** A push is the update that was approved, nothing at all, or refused in words. */
const pushes = async (chunks: readonly Buffer[]) => {
  try {
    const { read, isProbe } = await readPushCommands(Readable.from(chunks)[Symbol.asyncIterator](), UPDATE);
    const said = read.toString('latin1');
    if (!isProbe) expect(said).toContain(COMMAND.slice(0, COMMAND.indexOf('\0')));
  } catch (error) {
    if (!(error instanceof RefusedPush)) throw error;
  }
};

const FORM = [
  '--x\r\nContent-Disposition: form-data; name="file"; filename="ü.txt"\r\nContent-Type: text/plain\r\n\r\n',
  'content\r\n--x--\r\n',
].join('');
const TWO_PARTS = FORM.replace('--x--', `--x\r\nContent-Disposition: form-data; name="note"\r\n\r\nn\r\n--x--`);
const MAX_UPLOAD = 1_000;

/** A form brings at most one file of the size that is allowed, or is refused in words. */
const receives = async (chunks: readonly Buffer[]) => {
  const headers = { 'content-type': 'multipart/form-data; boundary=x' };
  const body = Readable.from(chunks);
  const request = Object.assign(body, {
    headers,
    complete: true,
    is: (type: string) => type.startsWith('multipart') && type,
  });
  const bounds = { maxBytes: MAX_UPLOAD, mediaType: undefined };
  try {
    const size = await receiveFile(request as unknown as Request, bounds, async ({ name, bytes }) => {
      expect(name.isWellFormed()).toBe(true);
      return (await buffer(bytes)).length;
    });
    expect(size).toBeLessThanOrEqual(MAX_UPLOAD);
  } catch (error) {
    if (!(error instanceof AppError || error instanceof InvalidRequest)) throw error;
  }
};

export const files: readonly FuzzTarget[] = [
  ...DOCUMENTS.map(([type, sample]) =>
    target(`documents of the type ${type}`, 1, inChunks(nearly(sample)), extracts(type)),
  ),
  target('pages', 60, nearly(PAGE), (bytes) => readHtml(bytes.toString())),
  target(
    'texts in any encoding',
    60,
    fc.tuple(
      fc.constantFrom('text/plain', 'text/html', 'application/xml', 'text/csv'),
      nearly(PAGE, '\uFEFFa', '<?xml encoding="utf-16"?>'),
    ),
    ([mediaType, bytes]) =>
      readPlain({ mediaType, contentType: `${mediaType}; charset=${bytes.toString('latin1', 0, 20)}` }, bytes),
  ),
  target('archives of definitions', 150, nearly(ARCHIVE), unpacks),
  target('archives that agents open', 100, nearly(ARCHIVE, TAR), opens),
  target('commands of pushes', 150, inChunks(nearly(PUSH)), pushes),
  target('multipart forms', 300, inChunks(nearly(FORM, TWO_PARTS)), receives),
];
