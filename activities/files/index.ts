export { createExtractFileText, type ExtractionDeps } from './extract-file-text.ts';
