export { makeDocx, makeXlsx } from './make-office.ts';
export { makePdf, makePdfBomb } from './make-pdf.ts';
export { makeZip, makeZipBomb } from './make-zip.ts';
export { PICTURE } from './picture.ts';
