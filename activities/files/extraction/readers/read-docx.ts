import mammoth from 'mammoth';
import { Unreadable } from '../job.ts';
import { requireSmallArchive } from './archive-size.ts';
import { readHtml } from './read-html.ts';

const WITHOUT_IMAGES = { convertImage: mammoth.images.imgElement(async () => ({ src: '' })) };

/** Returns the text of a Word document, with its headings, lists and tables. */
export async function readDocx(bytes: Buffer): Promise<string> {
  requireSmallArchive(bytes);
  return readHtml(await toHtml(bytes));
}

async function toHtml(buffer: Buffer): Promise<string> {
  try {
    return (await mammoth.convertToHtml({ buffer }, { ...WITHOUT_IMAGES, externalFileAccess: false })).value;
  } catch (error) {
    throw new Unreadable('The Word document is damaged', { cause: error });
  }
}
