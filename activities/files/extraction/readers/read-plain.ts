import { isUtf8 } from 'node:buffer';
import { encodingNotice, readText } from '../../../core/texts/read-text.ts';
import type { ExtractionJob } from '../job.ts';

/** Reads a file that is text itself; `isSame` says whether it is so in UTF-8, as everybody reads it. */
export function readPlain({ mediaType, contentType = mediaType }: ExtractionJob, bytes: Buffer) {
  const read = readText(bytes, contentType);
  const notice = encodingNotice(read);
  const isSame = isUtf8(bytes) && read.encoding === 'utf-8';
  return { text: notice === undefined ? read.text : `${read.text}\n${notice}`, isSame };
}
