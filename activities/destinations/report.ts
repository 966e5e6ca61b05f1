/** A report to a destination. */
export interface Report {
  /** The same for all attempts: services that support it accept the report once. */
  readonly key: string;
  /** One line. */
  readonly subject: string;
  /** In Markdown. */
  readonly body: string;
  /** The run in the console; null where the body has it, or there is none. */
  readonly link: string | null;
  readonly files: readonly ReportFile[];
  /** The pictures that a mail shows in its text. */
  readonly pictures: readonly ReportPicture[];
  /** The files that are named only, or have a link. */
  readonly unattached: readonly UnattachedFile[];
}

/** A report without files. */
export const NO_FILES = { files: [], pictures: [], unattached: [] } as const satisfies Partial<Report>;

/** A file that is attached to a report. */
export interface ReportFile {
  readonly name: string;
  readonly content: Uint8Array;
}

/** A picture of the workspace that the body of a report names. */
export interface ReportPicture extends ReportFile {
  /** How the HTML of the body addresses it. */
  readonly addresses: readonly string[];
}

/** A file of a report that is not attached. */
export interface UnattachedFile {
  readonly path: string;
  readonly bytes: number;
  /** Null for an empty file, and for one that the API does not reach. */
  readonly link: { readonly url: string; readonly expiresAt: Date } | null;
}

/** Returns the name of a file, without its folders. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
