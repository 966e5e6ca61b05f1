/** Files in the home folder of a program: their contents in Base64, by their paths there. */
export type HomeFiles = Readonly<Record<string, string>>;

/** The input of the driver inside the sandbox, as its first line. */
export interface GivenCli {
  /** The prefix of the driver's own lines. The program cannot know it before it starts. */
  readonly marker: string;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly files: HomeFiles;
  /** The files, by their paths in the home folder, that are reported whenever they have changed. */
  readonly watched: readonly string[];
  /** The program's input; it stays open, for `GivenLine`, unless given. */
  readonly input?: string | undefined;
  /** Whether all that it writes is reported as it comes; otherwise its standard output is passed on, line by line. */
  readonly isInteractive: boolean;
}

/** A further line for the driver: something for the program to read, or an address of the sandbox to call. */
export type GivenLine = { readonly write: string } | { readonly get: string };

/** A message of the driver, in a line of its own after the marker. */
export type DriverMessage =
  | { readonly said: string }
  | { readonly files: HomeFiles }
  /** The status of the answer from a called address; 0 for none. */
  | { readonly got: number }
  | { readonly ended: number | null };

/** The home folder of a program. It lies in memory. */
export const HOME = '/tmp/home';
