import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';

import { pause } from '../core/wait.ts';
import { signalProcess } from '../processes.ts';

/** Receives what a part prints, in chunks as they arrive. */
export type Log = (text: string) => void;

/** A running part: something that has an end and can be stopped. */
export type RunningPart = {
  readonly pid: number;
  /** Resolves to the reason in words, such as `exit code 1`, when it has ended for whatever cause. Never rejects. */
  readonly exited: Promise<string>;
  /** Asks it to end, and kills it when it takes too long. Resolves when it is gone. */
  stop(): Promise<void>;
  /** Kills it without asking (SIGKILL). */
  kill(): void;
  /** Asks it whether it is alive and able to answer. A part that cannot be asked has no such thing. */
  answers?(): Promise<boolean>;
};

/** A child process and its end. */
export type PartProcess = {
  readonly pid: number;
  readonly child: ChildProcess;
  readonly exited: Promise<string>;
  hasExited(): boolean;
  /** Returns the last few thousand characters that it printed. */
  recentOutput(): string;
  /**
   * Sends each signal in turn with its time limit, then SIGKILL to the whole group. Resolves when the process is gone.
   */
  end(steps: readonly { signal: NodeJS.Signals; limitMs: number }[]): Promise<void>;
  /** Sends SIGKILL to the process and its group. */
  kill(): void;
};

/** The options for starting a part. */
export type SpawnPartOptions = Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'> & {
  readonly command: string;
  readonly args: readonly string[];
  readonly log: Log;
  /** Opens a message channel to a Node child. */
  readonly ipc?: boolean;
};

/**
 * Starts a child that leads a process group of its own: a Ctrl-C in the terminal does not reach it, so that parts are
 * stopped in order. What its helpers leave running ends with it. Rejects when the command cannot be started at all.
 */
export async function spawnPart(options: SpawnPartOptions): Promise<PartProcess> {
  const { command, args, log, ipc, ...rest } = options;
  const child = spawn(command, args, {
    ...rest,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc === true ? (['ipc'] as const) : [])],
  });
  let recent = '';
  const take = (text: string): void => {
    recent = (recent + text).slice(-4000);
    log(text);
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', take);
    stream?.on('error', () => {});
  }
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  // Failed sends and kills are reported here; the end of the process is what counts, and 'exit' reports that.
  child.on('error', () => {});
  const pid = child.pid ?? 0;
  let gone = false;
  const ended = new AbortController();
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      gone = true;
      ended.abort();
      killGroup(pid);
      resolve(signal === null ? `exit code ${code}` : `signal ${signal}`);
    });
  });
  const kill = (): void => {
    if (gone) return;
    killGroup(pid);
    child.kill('SIGKILL');
  };
  return {
    pid,
    child,
    exited,
    hasExited: () => gone,
    recentOutput: () => recent,
    kill,
    end: async (steps) => {
      for (const { signal, limitMs } of steps) {
        if (gone) return;
        child.kill(signal);
        await pause(limitMs, ended.signal);
      }
      kill();
      await exited;
    },
  };
}

function killGroup(pid: number): void {
  try {
    signalProcess(-pid, 'SIGKILL');
  } catch {
    // Not ours to signal any more: the group is gone and its id belongs to someone else.
  }
}
