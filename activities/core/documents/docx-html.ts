import mammoth from 'mammoth';
import { requireOfficeFile, Unreadable } from './office-file.ts';

const WITHOUT_IMAGES = { convertImage: mammoth.images.imgElement(async () => ({ src: '' })) };

/** Returns a Word document as HTML, without its pictures. Throws `Unreadable` for a file that is none. */
export async function docxHtml(buffer: Buffer): Promise<string> {
  requireOfficeFile(buffer, 'document');
  try {
    return (await mammoth.convertToHtml({ buffer }, { ...WITHOUT_IMAGES, externalFileAccess: false })).value;
  } catch (error) {
    throw new Unreadable('The Word document is damaged', { cause: error });
  }
}
