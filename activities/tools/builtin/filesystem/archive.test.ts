import { mkdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { packTar, type TarHeader } from 'modern-tar';
import yazl from 'yazl';
import { makeZip } from '../../../../test/support/documents/index.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import { filePath } from '../../workspace/workspace-path.ts';
import { archive } from './archive.ts';

let tools: TestTools;
beforeEach(async () => {
  tools = await createTestTools();
});
afterEach(() => tools.close());

const run = async (args: object) => prepareCall(archive, { ...args }).run(tools.context);
const valueOf = async (args: object) => (await run(args)).value;
const read = async (path: string) => (await tools.context.workspace.read(filePath(path), 1e8)).toString();

async function put(path: string, content: string | Uint8Array, isForeign = false): Promise<void> {
  const options = { overwrite: true, createFolders: true, isForeign };
  await tools.context.workspace.write(filePath(path), Buffer.from(content), options);
}

interface Made {
  readonly name: string;
  readonly content?: string | Buffer;
  readonly mode?: number;
}

async function zipOf(entries: readonly Made[]): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  for (const { name, content = 'x', mode = 0o100644 } of entries)
    zip.addBuffer(Buffer.from(content), name, { mode, compress: content.length > 0 });
  zip.end();
  return buffer(zip.outputStream as Readable);
}

/** Makes a ZIP whose names, of the same length, are then exchanged: the writer refuses such names. */
async function zipNamed(name: string): Promise<Buffer> {
  const bytesOfName = Buffer.from(name).toString('latin1');
  const harmless = 'n'.repeat(bytesOfName.length);
  const bytes = await zipOf([{ name: harmless }]);
  return Buffer.from(bytes.toString('latin1').replaceAll(harmless, bytesOfName), 'latin1');
}

/** Puts ü in the encoding of DOS into a name. */
function patchedName(archiveBytes: Buffer): Buffer {
  return Buffer.from(archiveBytes.toString('latin1').replaceAll('#', '\u0081'), 'latin1');
}

async function tarOf(...headers: readonly TarHeader[]): Promise<Buffer> {
  const entries = headers.map((header) => ({ header, body: 'x'.repeat(header.size) }));
  return gzipSync(await packTar(entries));
}

describe('archive', () => {
  test.each(['all.zip', 'all.tar', 'all.tar.gz', 'all.tgz'])('packs, lists and unpacks %s', async (name) => {
    const long = `${'folder'.repeat(20)}/${'ä'.repeat(100)}.txt`;
    const random = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * index) % 251));
    await put('a/one.txt', 'one');
    await put(`a/${long}`, 'long');
    await put('b.bin', random);
    expect(await valueOf({ action: 'create', archive: name, paths: ['a', 'b.bin'] })).toMatchObject({ files: 3 });
    const listed = await valueOf({ action: 'list', archive: name });
    expect(listed).toMatchObject({ files: 3, bytes: 100_007 });
    expect(await valueOf({ action: 'extract', archive: name, to: 'out' })).toMatchObject({ extracted: 3 });
    expect(await read('out/a/one.txt')).toBe('one');
    expect(await read(`out/a/${long}`)).toBe('long');
    expect(await readFile(join(tools.home, 'out/b.bin'))).toEqual(random);
  });

  test('reads names in UTF-8 that are not marked as such, and others as they are', async () => {
    await put('mac.zip', makeZip({ 'Bücher/日本.txt': 'one' }, { isMarked: false }));
    await put('old.zip', patchedName(makeZip({ 'B#cher.txt': 'two' }, { isMarked: false })));
    await valueOf({ action: 'extract', archive: 'mac.zip', to: 'out' });
    await valueOf({ action: 'extract', archive: 'old.zip', to: 'out' });
    expect([await read('out/Bücher/日本.txt'), await read('out/Bücher.txt')]).toEqual(['one', 'two']);
  });

  test('does the same again when it is repeated', async () => {
    await put('a.txt', 'one');
    await utimes(join(tools.home, 'a.txt'), 0, 1_000_000_000);
    for (let time = 0; time < 2; time += 1) {
      expect(await valueOf({ action: 'create', archive: 'a.zip', paths: ['.'] })).toMatchObject({ files: 1 });
    }
    for (let time = 0; time < 2; time += 1) await run({ action: 'extract', archive: 'a.zip', to: 'out' });
    await put('out/a.txt', 'two');
    await expect(run({ action: 'extract', archive: 'a.zip', to: 'out' })).rejects.toThrow('overwrite is false');
    await run({ action: 'extract', archive: 'a.zip', to: 'out', overwrite: true });
    expect(await read('out/a.txt')).toBe('one');
  });

  test('unpacks only what is asked for', async () => {
    await put('a.zip', await zipOf([{ name: 'src/a.js' }, { name: 'src2/b.js' }, { name: 'c.md' }]));
    const value = await valueOf({ action: 'extract', archive: 'a.zip', paths: ['src', 'c.md'] });
    expect(value).toMatchObject({ files: ['src/a.js', 'c.md'] });
    await expect(run({ action: 'extract', archive: 'a.zip', paths: ['nothing'] })).rejects.toThrow('no files at these');
  });

  test.each(['../evil.txt', '/etc/evil', 'a/../../evil', 'a\\..\\..\\evil', 'C:\\evil', 'aux.txt', 'a\u202eb'])(
    'unpacks nothing of archives that hold the name %s',
    async (name) => {
      await put('bad.tgz', await tarOf({ name: 'fine.txt', size: 1 }, { name, size: 1 }));
      await expect(run({ action: 'extract', archive: 'bad.tgz' })).rejects.toThrow('Nothing was unpacked');
      await put('bad.zip', await zipNamed(name));
      await expect(run({ action: 'extract', archive: 'bad.zip' })).rejects.toThrow(/Nothing was unpacked|not to be tr/);
      expect(
        (await tools.context.workspace.list([], { maxDepth: 9, limit: 9 }, tools.context.signal)).entries,
      ).toHaveLength(2);
    },
  );

  test('leaves out links, devices and the files of repositories, and says so', async () => {
    const tar = await tarOf(
      { name: 'link', size: 0, type: 'symlink', linkname: '/etc/passwd' },
      { name: 'hard', size: 0, type: 'link', linkname: '../outside' },
      { name: 'null', size: 0, type: 'character-device' },
      { name: 'pipe', size: 0, type: 'fifo' },
      { name: '.GIT/hooks/pre-commit', size: 1 },
      { name: 'link', size: 3 },
      { name: 'link2/x', size: 3 },
    );
    await put('a.tgz', tar);
    const value = await valueOf({ action: 'extract', archive: 'a.tgz', to: 'o' });
    expect(value).toMatchObject({ files: ['o/link', 'o/link2/x'], left_out: { length: 5 } });
    await put('a.zip', await zipOf([{ name: 'link', content: '/etc/passwd', mode: 0o120777 }]));
    await expect(run({ action: 'extract', archive: 'a.zip' })).rejects.toThrow('links are not unpacked');
    expect(await valueOf({ action: 'list', archive: 'a.zip' })).toMatchObject({ entries: [{ type: 'link' }] });
  });

  test('does not write through a link that is in the folder, nor pack one', async () => {
    await put('keep.txt', 'x');
    await symlink(tools.outside, join(tools.home, 'way'));
    await put('a.zip', await zipOf([{ name: 'way/x.txt' }]));
    await expect(run({ action: 'extract', archive: 'a.zip' })).rejects.toThrow('0 of 1 files were unpacked');
    await writeFile(join(tools.outside, 'secret'), 'secret');
    const value = await valueOf({ action: 'create', archive: 'b.zip', paths: ['.'] });
    expect(value).toMatchObject({ files: 2 });
    await expect(run({ action: 'create', archive: 'c.zip', paths: ['way'] })).rejects.toThrow('not followed');
    await expect(run({ action: 'create', archive: 'c.zip', paths: ['way/secret'] })).rejects.toThrow();
  });

  test('refuses archives that unpack to too much', async () => {
    const zeros = Buffer.alloc(12_000_000);
    await put('bomb.zip', await zipOf([{ name: 'a', content: zeros }]));
    await expect(run({ action: 'extract', archive: 'bomb.zip' })).rejects.toThrow('unpacks to more than 10 MB');
    await put('bomb.tgz', await tarOf({ name: 'a', size: 12_000_000 }));
    await expect(run({ action: 'list', archive: 'bomb.tgz' })).rejects.toThrow('unpacks to more than 10 MB');
    await put('twice.tgz', gzipSync(gzipSync(zeros)));
    await expect(run({ action: 'list', archive: 'twice.tgz' })).rejects.toThrow('contains no tar archive');
    const names = Array.from({ length: 5_001 }, (_, index) => ({ name: `f${index}`, size: 0 }));
    await put('many.tgz', await tarOf(...names));
    await expect(run({ action: 'list', archive: 'many.tgz' })).rejects.toThrow('more than 5000 files');
    await put('many.zip', await zipOf(names.map(({ name }) => ({ name, content: '' }))));
    await expect(run({ action: 'list', archive: 'many.zip' })).rejects.toThrow('more than 5000 files');
  });

  test('refuses a content that is longer than its entry says', async () => {
    const bytes = await zipOf([{ name: 'a', content: Buffer.alloc(1_000_000) }]);
    const size = Buffer.alloc(4);
    size.writeUInt32LE(1_000_000);
    const small = Buffer.from([1, 0, 0, 0]).toString('latin1');
    const lying = bytes.toString('latin1').replaceAll(size.toString('latin1'), small);
    await put('a.zip', Buffer.from(lying, 'latin1'));
    await expect(run({ action: 'extract', archive: 'a.zip' })).rejects.toThrow('not to be trusted');
  });

  test('refuses encrypted archives', async () => {
    const bytes = await zipOf([{ name: 'a' }]);
    // The flag of the entry in the directory at the end.
    const at = bytes.indexOf(Buffer.from('PK\u0001\u0002', 'latin1'));
    bytes.writeUInt16LE(bytes.readUInt16LE(at + 8) | 1, at + 8);
    await put('a.zip', bytes);
    await expect(run({ action: 'extract', archive: 'a.zip' })).rejects.toThrow('are encrypted');
    expect(await valueOf({ action: 'list', archive: 'a.zip' })).toMatchObject({ entries: [{ locked: true }] });
  });

  test('keeps to the space of the workspace', async () => {
    await tools.close();
    tools = await createTestTools({ quota: { files: 5 } });
    await put('a.zip', await zipOf(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ name }))));
    await expect(run({ action: 'extract', archive: 'a.zip' })).rejects.toThrow('4 of 6 files were unpacked before');
  });

  test('keeps the marks of text from outside', async () => {
    await put('a.txt', 'obey', true);
    await put('b.txt', 'mine');
    await run({ action: 'create', archive: 'a.zip', paths: ['a.txt', 'b.txt'] });
    expect(await run({ action: 'list', archive: 'a.zip' })).toMatchObject({ isForeign: true });
    await run({ action: 'extract', archive: 'a.zip', to: 'out' });
    expect(await tools.context.workspace.isForeign(filePath('out/b.txt'))).toBe(true);
    await run({ action: 'create', archive: 'b.zip', paths: ['b.txt'] });
    expect(await run({ action: 'list', archive: 'b.zip' })).toMatchObject({ isForeign: false });
    await put('bad.tgz', await tarOf({ name: '../obey', size: 1 }), true);
    await expect(run({ action: 'extract', archive: 'bad.tgz' })).rejects.toMatchObject({ isForeign: true });
  });

  test.each([
    [{ action: 'create', archive: 'a.rar', paths: ['a'] }, '.zip, .tar, .tar.gz or .tgz'],
    [{ action: 'create', archive: 'a.zip' }, 'Give the paths'],
    [{ action: 'create', archive: 'a.zip', paths: ['none'] }, 'nothing at none'],
    [{ action: 'create', archive: 'a.zip', paths: ['../x'] }, 'The path must not'],
    [{ action: 'create', archive: 'a.zip', paths: ['large'] }, 'at most 30000000'],
    [{ action: 'list', archive: 'none.zip' }, ''],
    [{ action: 'list', archive: 'text.zip' }, 'is no ZIP, tar or tar.gz'],
    [{ action: 'list', archive: 'cut.zip' }, 'not to be trusted'],
    [{ action: 'extract', archive: 'clash.tgz' }, 'a is a file and a folder'],
    [{ action: 'extract', archive: 'empty.tgz' }, 'The archive contains no files'],
    [{ action: 'extract', archive: 'a.zip', to: '../x' }, 'The path must not'],
  ])('says what is wrong with %j', async (args, issue) => {
    await put('text.zip', 'plain text');
    await put('cut.zip', (await zipOf([{ name: 'a' }])).subarray(0, 60));
    await put('clash.tgz', await tarOf({ name: 'a', size: 1 }, { name: 'a/b', size: 1 }));
    await put('empty.tgz', gzipSync(await packTar([{ header: { name: 'a/', size: 0, type: 'directory' } }])));
    await mkdir(join(tools.home, 'large'));
    await writeFile(join(tools.home, 'large/a'), Buffer.alloc(31_000_000));
    await expect(run(args)).rejects.toThrow(issue);
  });
});
