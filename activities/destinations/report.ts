/** What is delivered to a destination. */
export interface Report {
  /** The same for all attempts: services that know it take the report once. */
  readonly key: string;
  /** One line. */
  readonly subject: string;
  /** In Markdown. */
  readonly body: string;
  /** Where people read more; null where the body says it, or nobody knows it. */
  readonly link: string | null;
  readonly files: readonly ReportFile[];
}

/** A file that goes with a report. */
export interface ReportFile {
  readonly name: string;
  readonly content: Uint8Array;
}
