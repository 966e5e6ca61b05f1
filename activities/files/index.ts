export { extract } from './extraction/extract.ts';
export { isReadable } from './extraction/readable-types.ts';
export { createExtractFileText, type ExtractionDeps } from './extract-file-text.ts';
