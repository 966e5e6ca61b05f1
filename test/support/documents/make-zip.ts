import { crc32, deflateRawSync } from 'node:zlib';

/** An entry of an archive; `says` is the unpacked size that the archive gives, where that is a lie. */
interface ZipEntry {
  readonly content: string | Buffer;
  readonly says?: number;
}

/** Makes an archive of packed entries, by path. */
export function makeZip(entries: Readonly<Record<string, string | ZipEntry>>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, given] of Object.entries(entries)) {
    const { content, says } = typeof given === 'string' ? { content: given } : given;
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const fixed = Buffer.alloc(26);
    fixed.writeUInt16LE(20, 0);
    fixed.writeUInt16LE(0x0800, 2);
    fixed.writeUInt16LE(8, 4);
    fixed.writeUInt32LE(crc32(bytes), 10);
    fixed.writeUInt32LE(packed.length, 14);
    fixed.writeUInt32LE(says ?? bytes.length, 18);
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
