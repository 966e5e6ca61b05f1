export { extract } from './extraction/extract.ts';
export { createExtractFileText, type ExtractionDeps } from './extract-file-text.ts';
