// The parts of the library of workbooks that are used here and missing in its types.

import type { ParsingOptions, WorkBook } from '@e965/xlsx';

declare module '@e965/xlsx' {
  /** The parts of an archive. */
  export interface ArchiveParts {
    readonly FullPaths: readonly string[];
    /** In the order of the paths. */
    readonly FileIndex: readonly { content: Uint8Array }[];
  }

  /** Reads a workbook from the parts of its archive. */
  export function parse_zip(parts: ArchiveParts, options: ParsingOptions): WorkBook;
}
