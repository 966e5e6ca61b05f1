import { constants, crc32, deflateRawSync } from 'node:zlib';

/** An entry of an archive. */
interface ZipEntry {
  readonly content: string | Buffer;
  /** How many times it holds the content. */
  readonly times?: number;
  /** The unpacked size that the archive gives, where that is a lie. */
  readonly says?: number;
}

const LAST_BLOCK = Buffer.from([3, 0]);

/** Deflates a content that is repeated, without ever holding all of it. */
export function packTimes(content: Buffer, times: number): Buffer {
  const chunk = deflateRawSync(content, { finishFlush: constants.Z_FULL_FLUSH });
  return Buffer.concat([...Array.from({ length: times }, () => chunk), LAST_BLOCK]);
}

/** Makes an archive of packed entries, by path. macOS leaves out the mark that says that paths are in UTF-8. */
export function makeZip(entries: Readonly<Record<string, string | ZipEntry>>, { isMarked = true } = {}): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, given] of Object.entries(entries)) {
    const { content, says, times = 1 } = typeof given === 'string' ? { content: given } : given;
    const bytes = Buffer.from(content);
    const packed = packTimes(bytes, times);
    let sum = 0;
    for (let at = 0; at < times; at += 1) sum = crc32(bytes, sum);
    const fixed = Buffer.alloc(26);
    fixed.writeUInt16LE(20, 0);
    fixed.writeUInt16LE(isMarked ? 0x0800 : 0, 2);
    fixed.writeUInt16LE(8, 4);
    fixed.writeUInt32LE(sum, 10);
    fixed.writeUInt32LE(packed.length, 14);
    fixed.writeUInt32LE(says ?? bytes.length * times, 18);
    fixed.writeUInt16LE(Buffer.byteLength(path), 22);
    const head = Buffer.concat([Buffer.from('PK\u0003\u0004'), fixed, Buffer.from(path)]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000'), fixed, rest, Buffer.from(path)]));
    parts.push(head, packed);
    offset += head.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, listed, Buffer.from('PK\u0005\u0006'), end]);
}

/** Makes an archive that says it unpacks to 1 kB, and holds 300 MB at the given path. */
export function makeZipBomb(path: string): Buffer {
  const content = Buffer.alloc(1_000_000);
  return makeZip({ [path]: { content, times: 300, says: 1_000 }, '_rels/.rels': '<x/>' });
}
