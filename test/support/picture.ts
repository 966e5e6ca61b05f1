import { crc32, deflateSync } from 'node:zlib';

/** Makes a PNG whose left half is red and whose right half is blue. */
export function pngOf(width: number, height: number, pixels = true): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const row = Buffer.concat([Buffer.of(0), Buffer.alloc(Math.floor(width / 2) * 3, '\u00ff\u0000\u0000', 'latin1')]);
  const line = Buffer.concat([row, Buffer.alloc(1 + width * 3 - row.length, '\u0000\u0000\u00ff', 'latin1')]);
  const data = deflateSync(Buffer.concat(Array.from({ length: pixels ? height : 1 }, () => line)));
  const signature = Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1');
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
