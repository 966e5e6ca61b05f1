import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { pngOf } from '../../../../test/support/picture.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import { filePath } from '../../workspace/workspace-path.ts';
import { imageProcess } from './images.ts';

let tools: TestTools;
beforeEach(async () => {
  tools = await createTestTools();
});
afterEach(() => tools.close());

const run = async (args: object) => prepareCall(imageProcess, { ...args }).run(tools.context);
const valueOf = async (args: object) => (await run(args)).value;
const bytesOf = async (path: string) => tools.context.workspace.read(filePath(path), 1e8);

async function put(path: string, content: Uint8Array | string, isForeign = false): Promise<void> {
  const options = { overwrite: true, createFolders: true, isForeign };
  await tools.context.workspace.write(filePath(path), Buffer.from(content), options);
}

/** Exif data of a photo that is turned and tells its place: 52 degrees north. */
function exif(): Buffer {
  const tiff = Buffer.alloc(100);
  tiff.write('MM\u0000*', 0, 'latin1');
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(2, 8);
  // Orientation 6, and where the directory of the place is.
  tiff.set([0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0], 10);
  tiff.set([0x88, 0x25, 0, 4, 0, 0, 0, 1, 0, 0, 0, 38], 22);
  tiff.writeUInt16BE(2, 38);
  tiff.set([0, 1, 0, 2, 0, 0, 0, 2, 0x4e, 0, 0, 0], 40);
  tiff.set([0, 2, 0, 5, 0, 0, 0, 3, 0, 0, 0, 68], 52);
  for (const [index, value] of [52, 1, 0, 1, 0, 1].entries()) tiff.writeUInt32BE(value, 68 + index * 4);
  const body = Buffer.concat([Buffer.from('Exif\u0000\u0000', 'latin1'), tiff]);
  const size = Buffer.alloc(2);
  size.writeUInt16BE(body.length + 2);
  return Buffer.concat([Buffer.of(0xff, 0xe1), size, body]);
}

describe('image_process', () => {
  test('describes a picture', async () => {
    await put('a.png', pngOf(40, 20), true);
    const facts = { format: 'png', width: 40, height: 20, transparent: false, metadata: [] };
    expect(await run({ file: 'a.png' })).toEqual({ value: facts, isForeign: true });
  });

  test.each([
    [[{ kind: 'resize', width: 20 }], 20, 10],
    [[{ kind: 'resize', width: 100, height: 10 }], 20, 10],
    [[{ kind: 'crop', x: 5, y: 5, width: 10, height: 15 }], 10, 15],
    [[{ kind: 'rotate', degrees: 90 }], 20, 40],
    [
      [{ kind: 'crop', width: 20, height: 20 }, { kind: 'resize', height: 5 }, { kind: 'flip' }, { kind: 'flop' }],
      5,
      5,
    ],
    [[{ kind: 'grayscale' }], 40, 20],
  ])('does %j', async (operations, width, height) => {
    await put('a.png', pngOf(40, 20));
    expect(await valueOf({ file: 'a.png', output: 'b/b.png', operations })).toMatchObject({ width, height });
    expect(await valueOf({ file: 'b/b.png' })).toMatchObject({ width, height });
  });

  test('crops the part that is asked for', async () => {
    await put('a.png', pngOf(40, 20));
    const half = async (x: number, output: string) => {
      await run({ file: 'a.png', output, operations: [{ kind: 'crop', x, width: 20, height: 20 }] });
      return bytesOf(output);
    };
    const [left, right] = [await half(0, 'l.png'), await half(20, 'r.png')];
    expect(left.equals(right)).toBe(false);
    await run({
      file: 'a.png',
      output: 'f.png',
      operations: [{ kind: 'flop' }, { kind: 'crop', width: 20, height: 20 }],
    });
    expect((await bytesOf('f.png')).equals(right)).toBe(true);
  });

  test.each(['png', 'jpg', 'webp', 'avif'])('converts to %s, the same each time, and marks it', async (end) => {
    await put('a.png', pngOf(64, 32), true);
    await run({ file: 'a.png', output: `b.${end}` });
    const first = await bytesOf(`b.${end}`);
    await run({ file: 'a.png', output: `b.${end}` });
    expect((await bytesOf(`b.${end}`)).equals(first)).toBe(true);
    const format = end === 'jpg' ? 'jpeg' : end;
    expect(await run({ file: `b.${end}` })).toMatchObject({ value: { format, width: 64 }, isForeign: true });
  });

  test('leaves out where a photo was taken and what follows it, and turns it upright', async () => {
    await put('a.png', pngOf(40, 20));
    await run({ file: 'a.png', output: 'a.jpg' });
    const plain = await bytesOf('a.jpg');
    const tail = '<script>alert(1)</script>';
    const photo = Buffer.concat([plain.subarray(0, 2), exif(), plain.subarray(2), Buffer.from(tail)]);
    await put('photo.jpg', photo);
    expect(await valueOf({ file: 'photo.jpg' })).toMatchObject({ metadata: ['exif'] });
    const value = await valueOf({ file: 'photo.jpg', output: 'clean.jpg' });
    expect(value).toMatchObject({ width: 20, height: 40, removed_metadata: ['exif'] });
    const clean = await bytesOf('clean.jpg');
    for (const trace of ['Exif', 'script']) expect(clean.includes(trace)).toBe(false);
    expect(await valueOf({ file: 'clean.jpg' })).toMatchObject({ metadata: [] });
  });

  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>';
  test.each([
    ['a.png', svg, 'SVG is a drawing'],
    ['a.png', 'push graphic-context\nimage over 0,0 0,0 "/etc/passwd"', 'is no PNG, JPEG'],
    ['a.png', '%!PS\n(/etc/passwd) (r) file', 'is no PNG, JPEG'],
    ['a.png', pngOf(40, 20).subarray(0, 40), 'The picture is damaged'],
    ['a.png', pngOf(30_000, 30_000, false), 'The picture is'],
    ['a.png', pngOf(10_000, 10_000, false), 'at most 30 million are processed'],
  ])('refuses what is no harmless picture: %s, %#', async (file, content, issue) => {
    await put(file, content);
    await expect(run({ file, output: 'b.png' })).rejects.toThrow(issue);
    await expect(run({ file })).rejects.toMatchObject({ kind: 'invalid_input' });
  });

  test.each([
    [{ file: 'a.png', operations: [{ kind: 'flip' }] }, 'Give output'],
    [{ file: 'a.png', output: 'a.gif' }, 'must end with .png'],
    [{ file: 'a.png', output: 'b.png', operations: [{ kind: 'resize' }] }, 'resize needs width'],
    [{ file: 'a.png', output: 'b.png', operations: [{ kind: 'crop', x: 1 }] }, 'crop needs width and height'],
    [{ file: 'a.png', output: 'b.png', operations: [{ kind: 'crop', x: 30, width: 20, height: 1 }] }, 'not within the'],
    [{ file: 'a.png', output: 'b.png', operations: [{ kind: 'resize', width: 16_000 }] }, 'at most 30 million'],
    [{ file: 'none.png' }, ''],
  ])('says what is wrong with %j', async (args, issue) => {
    await put('a.png', pngOf(40, 20));
    await expect(run(args)).rejects.toThrow(issue);
  });
});
