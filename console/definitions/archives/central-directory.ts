/** An entry of a ZIP archive, as its central directory tells, which is what the server goes by. */
export interface ArchiveEntry {
  readonly name: string;
  /** How it is packed: 0 not at all, 8 deflated. */
  readonly method: number;
  /** Its bytes as they are in the archive. */
  readonly packed: Uint8Array<ArrayBuffer>;
  /** How many bytes it has unpacked. */
  readonly size: number;
}

// The layout is that of APPNOTE.TXT of PKWARE, 4.3.7 (local header), 4.3.12 (central directory) and 4.3.16 (its end).
const LOCAL = { signature: 0x0403_4b50, length: 30 };
const CENTRAL = { signature: 0x0201_4b50, length: 46 };
const END = { signature: 0x0605_4b50, length: 22 };
const MAX_COMMENT = 65_535;

/** Returns the entries of an archive; throws when it is none, or when its entries share bytes. */
export function readDirectory(bytes: Uint8Array<ArrayBuffer>): readonly ArchiveEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const end = endOf(view);
    const entries: ArchiveEntry[] = [];
    let at = view.getUint32(end + 16, true);
    for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
      if (view.getUint32(at, true) !== CENTRAL.signature) throw noArchive();
      const lengths = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
      entries.push(entryAt(bytes, view, at));
      at += CENTRAL.length + lengths.reduce((sum, length) => sum + length, 0);
    }
    // Entries that share bytes are small in the archive, and large together.
    if (entries.reduce((sum, { packed }) => sum + packed.length, 0) > bytes.length) throw noArchive();
    return entries;
  } catch (error) {
    // What lies beyond the end of the archive cannot be read.
    throw error instanceof RangeError ? noArchive() : error;
  }
}

function endOf(view: DataView): number {
  const first = Math.max(0, view.byteLength - END.length - MAX_COMMENT);
  for (let at = view.byteLength - END.length; at >= first; at -= 1)
    if (view.getUint32(at, true) === END.signature) return at;
  throw noArchive();
}

function entryAt(bytes: Uint8Array<ArrayBuffer>, view: DataView, at: number): ArchiveEntry {
  const nameAt = at + CENTRAL.length;
  if (hasSecondName(view, nameAt + view.getUint16(at + 28, true), view.getUint16(at + 30, true))) throw noArchive();
  const name = new TextDecoder().decode(bytes.subarray(nameAt, nameAt + view.getUint16(at + 28, true)));
  const local = view.getUint32(at + 42, true);
  if (view.getUint32(local, true) !== LOCAL.signature) throw noArchive();
  const from = local + LOCAL.length + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
  const packed = bytes.subarray(from, from + view.getUint32(at + 20, true));
  return { name, method: view.getUint16(at + 10, true), packed, size: view.getUint32(at + 24, true) };
}

/** The extra field of Info-ZIP that gives an entry another name, by which the server would go (APPNOTE.TXT, 4.6.9). */
const UNICODE_PATH = 0x7075;

function hasSecondName(view: DataView, from: number, length: number): boolean {
  for (let at = from; at + 4 <= from + length; at += 4 + view.getUint16(at + 2, true))
    if (view.getUint16(at, true) === UNICODE_PATH) return true;
  return false;
}

function noArchive(): Error {
  return new Error('This is no ZIP archive that can be read');
}
