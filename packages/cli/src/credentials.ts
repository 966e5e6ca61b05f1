import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Failure } from './failure.ts';
import type { Environment } from './environment.ts';

/** What a sign-in at a server has left. */
export interface Credentials {
  readonly apiKey: string;
  /** Set when the sign-in has created the key: signing out revokes it. */
  readonly keyId?: string;
  /** Set when an invite was redeemed: signing out signs the device out. */
  readonly deviceId?: string;
}

interface Content {
  /** The server that was signed in at last. */
  readonly current?: string | undefined;
  readonly servers: Readonly<Record<string, Credentials>>;
}

/** The file that keeps the credentials of each server, which only its owner can read. */
export class CredentialsFile {
  readonly path: string;

  constructor(env: Environment['env']) {
    const { XDG_CONFIG_HOME: config } = env;
    const folder = config === undefined || config === '' ? join(env['HOME'] ?? homedir(), '.config') : config;
    this.path = join(folder, 'everturn', 'credentials.json');
  }

  /** Reads the file. Throws a `Failure` when it is damaged, or others can read it. */
  read(): Content {
    const stats = statSync(this.path, { throwIfNoEntry: false });
    if (stats === undefined) return { servers: {} };
    // Windows has no such mode.
    if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0)
      throw new Failure(`Others can read your keys in ${this.path}: run chmod 600 on it.`);
    try {
      const { current, servers } = JSON.parse(readFileSync(this.path, 'utf8')) as Content;
      return { current, servers: { ...servers } };
    } catch (error) {
      throw new Failure(`${this.path} is damaged: delete it and sign in again.`, undefined, { cause: error });
    }
  }

  /**
   * Stores the credentials of a server, which becomes the current one; without any it is forgotten. Throws a `Failure`
   * when the file cannot be written.
   */
  write(url: string, credentials: Credentials | undefined): void {
    const { current, servers } = this.read();
    const { [url]: _former, ...others } = servers;
    const content: Content =
      credentials === undefined
        ? { current: current === url ? Object.keys(others)[0] : current, servers: others }
        : { current: url, servers: { ...others, [url]: credentials } };
    try {
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
      const fresh = `${this.path}.${process.pid}`;
      writeFileSync(fresh, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 });
      chmodSync(fresh, 0o600);
      renameSync(fresh, this.path);
    } catch (error) {
      throw new Failure(`${this.path} cannot be written.`, undefined, { cause: error });
    }
  }
}
