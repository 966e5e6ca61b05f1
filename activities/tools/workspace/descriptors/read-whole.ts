import { ToolFailure } from '../../tool-failure.ts';
import type { Folder } from './folder.ts';
import { holding } from './holding.ts';
import { openFile } from './open-file.ts';

/** Reads a file of a folder; refuses one of more than `maxBytes`. */
export function readWhole(folder: Folder, name: string, maxBytes: number): Promise<Buffer> {
  return holding(openFile(folder, name), async (handle) => {
    // The file may grow while it is read, so what is read is bounded, not only what is said of it.
    const buffer = Buffer.allocUnsafe(Math.min((await handle.stat()).size, maxBytes) + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, null);
      if (bytesRead === 0) return buffer.subarray(0, length);
      length += bytesRead;
    }
    if (length > maxBytes) throw new ToolFailure('invalid_input', `The file is larger than ${maxBytes} bytes`);
    throw new ToolFailure('upstream', 'The file is being written; try again');
  });
}
