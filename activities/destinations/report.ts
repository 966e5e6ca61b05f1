/** What is delivered to a destination. */
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
}

/** A file that is attached to a report. */
export interface ReportFile {
  readonly name: string;
  readonly content: Uint8Array;
}
