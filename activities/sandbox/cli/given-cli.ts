/** Files in the home folder of a program: their contents in Base64, by their paths there. */
export type HomeFiles = Readonly<Record<string, string>>;

/** What the driver inside the sandbox is given, as its first line. */
export interface GivenCli {
  /** What lines of the driver itself begin with. The program cannot know it before it is begun. */
  readonly marker: string;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly files: HomeFiles;
  /** The files, by their paths in the home folder, that are reported whenever they have changed. */
  readonly watched: readonly string[];
  /** What the program reads; its input stays open, for `GivenLine`, unless given. */
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
