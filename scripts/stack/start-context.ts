import type { Settings } from './env.ts';
import type { Home } from './home.ts';
import type { PartList, PartLog } from './parts/part-list.ts';
import type { Ports } from './ports.ts';

/** What a start is begun with. */
export type StartOptions = {
  readonly settings: Settings;
  readonly home: Home;
  readonly parts: PartList;
  /** Aborted when everything is to stop. */
  readonly stopping: AbortSignal;
  say(line: string): void;
  /** Opens the log of a part. */
  openLog(name: string): PartLog;
};

/** The state that the steps of a start share. */
export type StartContext = StartOptions & { readonly ports: Ports };
