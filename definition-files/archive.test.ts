import { Buffer } from 'node:buffer';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import yazl from 'yazl';
import { makeZip } from '../test/support/documents/index.ts';
import { readArchive, writeArchive } from './archive.ts';

interface Added {
  readonly path: string;
  readonly content?: string | Buffer;
  readonly mode?: number;
}

/** Makes an archive as any program could. */
async function zip(files: readonly Added[]): Promise<Buffer> {
  const archive = new yazl.ZipFile();
  for (const { path, content = 'text', mode = 0o100644 } of files) {
    if (path.endsWith('/')) archive.addEmptyDirectory(path);
    else archive.addBuffer(Buffer.from(content), path, { mode });
  }
  archive.end();
  return buffer(archive.outputStream as NodeJS.ReadableStream & AsyncIterable<Buffer>);
}

/** Replaces each occurrence of a text by one of the same length, as an attacker would who edits an archive. */
function patched(archive: Buffer, from: string, to: string): Buffer {
  return Buffer.from(archive.toString('latin1').replaceAll(from, to), 'latin1');
}

describe('an archive', () => {
  test('gives back what was written, from within its folder', async () => {
    const files = new Map([
      ['SKILL.md', '---\nname: a\n---\n'],
      ['references/ü.md', 'ä\n'],
    ]);
    const written = await buffer(writeArchive('my-skill', files));
    expect(await readArchive(written)).toEqual({ folder: 'my-skill', files });
  });

  test('may have names in UTF-8 that are not marked as such', async () => {
    const archive = makeZip({ 'k/SKILL.md': 'a', 'k/references/ü.md': 'b' }, { isMarked: false });
    expect([...(await readArchive(archive)).files.keys()]).toEqual(['SKILL.md', 'references/ü.md']);
  });

  test('has the same bytes for the same files', async () => {
    const files = new Map([['a', 'b']]);
    expect(await buffer(writeArchive('k', files))).toEqual(await buffer(writeArchive('k', new Map(files))));
  });

  test('may have its files at the top, in a folder within a folder, and entries for folders', async () => {
    expect(await readArchive(await zip([{ path: 'SKILL.md' }]))).toMatchObject({ folder: undefined });
    const nested = await zip([{ path: 'k/' }, { path: 'k/SKILL.md' }, { path: 'k/a/b.md' }]);
    expect(await readArchive(nested)).toEqual({
      folder: 'k',
      files: new Map([
        ['SKILL.md', 'text'],
        ['a/b.md', 'text'],
      ]),
    });
  });

  test('may contain what macOS adds to it, which is none of its files', async () => {
    const bytes = Buffer.from([0xff, 0x00]);
    const added = ['.DS_Store', 'k/.DS_Store', 'k/a/.DS_Store', '__MACOSX/._k', '__MACOSX/k/._SKILL.md'];
    const archive = [{ path: '__MACOSX/' }, ...added.map((path) => ({ path, content: bytes })), { path: 'k/SKILL.md' }];
    expect(await readArchive(await zip(archive))).toEqual({ folder: 'k', files: new Map([['SKILL.md', 'text']]) });
    await expect(readArchive(await zip(added.map((path) => ({ path }))))).rejects.toThrow('contains no files');
  });

  test('may have names as macOS writes them', async () => {
    const archive = [{ path: 'SKILL.md' }, { path: 'Gro\u0308\u00dfe.md' }];
    const { files } = await readArchive(await zip(archive));
    expect([...files.keys()]).toEqual(['SKILL.md', 'Gr\u00f6\u00dfe.md']);
  });

  test('may contain as many files as a definition has, each with a folder and what macOS adds to it', async () => {
    const paths = Array.from({ length: 100 }, (_, at) => [`k/${at}/`, `k/${at}/a`, `__MACOSX/k/${at}/._a`]).flat();
    expect((await readArchive(await zip(paths.map((path) => ({ path }))))).files.size).toBe(100);
  });

  test.each([
    ['is no archive', async () => Buffer.from('nonsense'), 'not a usable ZIP archive'],
    ['is empty', async () => zip([]), 'contains no files'],
    ['is cut off', async () => (await zip([{ path: 'a' }])).subarray(0, 40), 'not a usable ZIP archive'],
    ['leaves its folder', async () => patched(await zip([{ path: 'xx/evil.md' }]), 'xx/evil', '../evil'), ''],
    ['has an absolute path', async () => patched(await zip([{ path: 'xevil.md' }]), 'xevil', '/evil'), ''],
    ['has a backslash', async () => patched(await zip([{ path: 'a/evil.md' }]), 'a/evil', 'a\\evil'), ''],
    ['has a path twice', async () => zip([{ path: 'a' }, { path: 'a' }]), 'is twice in the archive'],
    ['holds a link', async () => zip([{ path: 'a', content: '/etc/passwd', mode: 0o120777 }]), 'is a link'],
    [
      'holds what is no text',
      async () => zip([{ path: 'a', content: Buffer.from([0xff, 0xfe, 0x00]) }]),
      'not text in UTF-8',
    ],
    ['holds a large file', async () => zip([{ path: 'a', content: 'x'.repeat(256 * 1024 + 1) }]), '256 KB'],
    [
      'is a bomb',
      async () => zip(Array.from({ length: 20 }, (_, at) => ({ path: `${at}`, content: Buffer.alloc(200_000) }))),
      'MB unpacked',
    ],
    ['holds many files', async () => zip(Array.from({ length: 500 }, (_, at) => ({ path: `${at}` }))), '100 files'],
  ])('is refused when it %s', async (_title, make, words) => {
    await expect(readArchive(await make())).rejects.toThrow(words);
  });

  test('is refused when a file is larger than it says', async () => {
    const archive = await zip([{ path: 'a', content: 'x'.repeat(100_000) }]);
    const size = Buffer.alloc(4);
    size.writeUInt32LE(100_000);
    const lie = Buffer.alloc(4);
    lie.writeUInt32LE(10);
    const lying = patched(archive, size.toString('latin1'), lie.toString('latin1'));
    await expect(readArchive(lying)).rejects.toThrow('not a usable ZIP archive');
  });
});
